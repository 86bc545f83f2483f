module github.com/hashicorp/aws-sdk-go-base/v2

go 1.26.0
