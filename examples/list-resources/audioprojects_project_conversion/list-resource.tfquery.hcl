# Finds every project of the account.
list "audioprojects_project_conversion" "all" {
  provider = audioprojects
  limit    = 1000
}
