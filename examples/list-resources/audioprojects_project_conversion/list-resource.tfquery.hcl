# Adopts every project of the account. The bound of 0 characters refuses to convert text that is left:
#   terraform query -generate-config-out=projects.tf
#   AUDIOPROJECTS_MAX_CHARACTERS=0 terraform apply
list "audioprojects_project_conversion" "all" {
  provider = audioprojects
  limit    = 1000
}
