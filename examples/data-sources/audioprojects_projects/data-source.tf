data "audioprojects_projects" "all" {}

# The names in the list, each with its identifier.
output "projects" {
  value = {
    for project in data.audioprojects_projects.all.projects : project.project_id => project.name
  }
}
