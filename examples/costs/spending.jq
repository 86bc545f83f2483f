# Adds up the requests in logs of this provider, by project and month (UTC), and with `--arg by chapter` also by chapter.
# Usage: jq -nRr -f spending.jq spent.log …   (TF_LOG_PROVIDER=INFO, or with JSON: TF_LOG=JSON TF_LOG_CORE=off TF_LOG_PROVIDER=INFO)

# The fields of a line, by their names: Terraform writes them in any order, and quotes a value with a space in it.
def fields:
  fromjson? // (
    [scan("([\\w@]+)=(\"(?:[^\"\\\\]|\\\\.)*\"|\\S*)")]
    | map({key: .[0], value: (.[1] | if startswith("\"") then (fromjson? // .) else . end)})
    | from_entries
  );

def characters: .characters | tonumber? // null;
def ofChapter($columns): if $ARGS.named.by == "chapter" then $columns else [] end;

[
  inputs
  | select(contains("Conversion requested"))
  | fields
  | select(.project_id and .characters and .outcome and .timestamp)
  | .month = .timestamp[:7]
]
| group_by([.project_id, .month] + ofChapter([.chapter_id]))
| ["project_id", "month"] + ofChapter(["chapter_id", "chapter"]) + ["requests", "characters", "not_counted", "answer_lost"],
  (.[] | [.[0].project_id, .[0].month] + ofChapter([.[0].chapter_id, .[-1].chapter]) + [
    length,
    (map(characters // 0) | add),
    (map(select(characters == null)) | length),
    (map(select(.outcome != "accepted")) | length)
  ])
| @tsv
