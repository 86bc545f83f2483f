# Adds up the requests in logs of this provider, by month (UTC) and project.
# Usage: jq -nRr -f spending.jq spent.log …   (TF_LOG_PROVIDER=INFO, or with JSON: TF_LOG=JSON TF_LOG_CORE=off TF_LOG_PROVIDER=INFO)

# The fields of a line, by their names: Terraform writes them in any order, and quotes a value with a space in it.
def fields:
  fromjson? // (
    [scan("([\\w@]+)=(\"(?:[^\"\\\\]|\\\\.)*\"|\\S*)")]
    | map({key: .[0], value: (.[1] | if startswith("\"") then (fromjson? // .) else . end)})
    | from_entries
  );

def characters: .characters | tonumber? // null;

[
  inputs
  | select(contains("Conversion requested"))
  | fields
  | select(.project_id and .characters and .outcome and .timestamp)
  | .month = .timestamp[:7]
]
| group_by([.month, .project_id])
| ["month", "project_id", "requests", "characters", "not_counted", "answer_lost"],
  (.[] | [
    .[0].month,
    .[0].project_id,
    length,
    (map(characters // 0) | add),
    (map(select(characters == null)) | length),
    (map(select(.outcome != "accepted")) | length)
  ])
| @tsv
