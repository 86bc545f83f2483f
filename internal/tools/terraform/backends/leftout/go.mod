module leftout

go 1.26.0
