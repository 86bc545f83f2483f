data "audioprojects_projects" "all" {}

# The name of each project, by its id.
output "projects" {
  value = {
    for project in data.audioprojects_projects.all.projects : project.project_id => project.name
  }
}
