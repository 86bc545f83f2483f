# Adopts every project of the account, and converts nothing:
#   terraform query -generate-config-out=projects.tf
#   terraform apply
list "audioprojects_project_conversion" "all" {
  provider = audioprojects
  limit    = 1000
}
