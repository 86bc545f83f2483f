module go.opentelemetry.io/contrib/exporters/autoexport

go 1.26.0
