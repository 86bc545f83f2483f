# Imports every project of the account. With the limit of 0 characters, the apply converts nothing:
#   terraform query -generate-config-out=projects.tf
#   AUDIOPROJECTS_MAX_CHARACTERS=0 terraform apply
list "audioprojects_project_conversion" "all" {
  provider = audioprojects
  limit    = 1000
}
