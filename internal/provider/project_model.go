package provider

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// projectModel is section 2.1 of the document.
type projectModel struct {
	ProjectID                       types.String                          `tfsdk:"project_id"`
	Name                            types.String                          `tfsdk:"name"`
	CreateDateUnix                  types.Int64                           `tfsdk:"create_date_unix"`
	DefaultTitleVoiceID             types.String                          `tfsdk:"default_title_voice_id"`
	DefaultParagraphVoiceID         types.String                          `tfsdk:"default_paragraph_voice_id"`
	DefaultModelID                  types.String                          `tfsdk:"default_model_id"`
	CanBeDownloaded                 types.Bool                            `tfsdk:"can_be_downloaded"`
	VolumeNormalization             types.Bool                            `tfsdk:"volume_normalization"`
	State                           types.String                          `tfsdk:"state"`
	AccessLevel                     types.String                          `tfsdk:"access_level"`
	QualityCheckOn                  types.Bool                            `tfsdk:"quality_check_on"`
	QualityCheckOnWhenBulkConvert   types.Bool                            `tfsdk:"quality_check_on_when_bulk_convert"`
	QualityPreset                   types.String                          `tfsdk:"quality_preset"`
	Chapters                        []chapterModel                        `tfsdk:"chapters"`
	PronunciationDictionaryVersions []pronunciationDictionaryVersionModel `tfsdk:"pronunciation_dictionary_versions"`
	ApplyTextNormalization          types.String                          `tfsdk:"apply_text_normalization"`
	Experimental                    jsontypes.Normalized                  `tfsdk:"experimental"`
	LastConversionDateUnix          types.Int64                           `tfsdk:"last_conversion_date_unix"`
	Title                           types.String                          `tfsdk:"title"`
	Author                          types.String                          `tfsdk:"author"`
	Description                     types.String                          `tfsdk:"description"`
	Genres                          []types.String                        `tfsdk:"genres"`
	CoverImageURL                   types.String                          `tfsdk:"cover_image_url"`
	TargetAudience                  types.String                          `tfsdk:"target_audience"`
	Language                        types.String                          `tfsdk:"language"`
	ContentType                     types.String                          `tfsdk:"content_type"`
	OriginalPublicationDate         types.String                          `tfsdk:"original_publication_date"`
	MatureContent                   types.Bool                            `tfsdk:"mature_content"`
	ISBNNumber                      types.String                          `tfsdk:"isbn_number"`
	Fiction                         types.String                          `tfsdk:"fiction"`
	CreationMeta                    *creationMetaModel                    `tfsdk:"creation_meta"`
	chapterTotals
}

// creationMetaModel is section 2.2 of the document.
type creationMetaModel struct {
	CreationProgress types.Float64 `tfsdk:"creation_progress"`
	Status           types.String  `tfsdk:"status"`
	Type             types.String  `tfsdk:"type"`
}

// pronunciationDictionaryVersionModel is section 2.4 of the document.
type pronunciationDictionaryVersionModel struct {
	VersionID                 types.String `tfsdk:"version_id"`
	PronunciationDictionaryID types.String `tfsdk:"pronunciation_dictionary_id"`
	DictionaryName            types.String `tfsdk:"dictionary_name"`
	VersionName               types.String `tfsdk:"version_name"`
	CreatedBy                 types.String `tfsdk:"created_by"`
	CreationTimeUnix          types.Int64  `tfsdk:"creation_time_unix"`
}

func newProjectModel(project audioprojects.Project) projectModel {
	return projectModel{
		ProjectID:                       types.StringValue(project.ProjectID),
		Name:                            textValue(project.Name),
		CreateDateUnix:                  integerValue(project.CreateDateUnix),
		DefaultTitleVoiceID:             textValue(project.DefaultTitleVoiceID),
		DefaultParagraphVoiceID:         textValue(project.DefaultParagraphVoiceID),
		DefaultModelID:                  textValue(project.DefaultModelID),
		CanBeDownloaded:                 types.BoolPointerValue(project.CanBeDownloaded),
		VolumeNormalization:             types.BoolPointerValue(project.VolumeNormalization),
		State:                           textValue(project.State),
		AccessLevel:                     textValue(project.AccessLevel),
		QualityCheckOn:                  types.BoolPointerValue(project.QualityCheckOn),
		QualityCheckOnWhenBulkConvert:   types.BoolPointerValue(project.QualityCheckOnWhenBulkConvert),
		QualityPreset:                   textValue(project.QualityPreset),
		Chapters:                        models(project.Chapters, newChapterModel),
		PronunciationDictionaryVersions: models(project.PronunciationDictionaryVersions, newPronunciationDictionaryVersionModel),
		ApplyTextNormalization:          textValue(project.ApplyTextNormalization),
		Experimental:                    jsonValue(project.Experimental),
		LastConversionDateUnix:          integerValue(project.LastConversionDateUnix),
		Title:                           textValue(project.Title),
		Author:                          textValue(project.Author),
		Description:                     textValue(project.Description),
		Genres:                          models(project.Genres, textValue),
		CoverImageURL:                   textValue(project.CoverImageURL),
		TargetAudience:                  textValue(project.TargetAudience),
		Language:                        textValue(project.Language),
		ContentType:                     textValue(project.ContentType),
		OriginalPublicationDate:         textValue(project.OriginalPublicationDate),
		MatureContent:                   types.BoolPointerValue(project.MatureContent),
		ISBNNumber:                      textValue(project.ISBNNumber),
		Fiction:                         textValue(project.Fiction),
		CreationMeta:                    newCreationMetaModel(project.CreationMeta),
		chapterTotals:                   newChapterTotals(project.Chapters),
	}
}

func newCreationMetaModel(meta *audioprojects.CreationMeta) *creationMetaModel {
	if meta == nil {
		return nil
	}
	return &creationMetaModel{
		CreationProgress: types.Float64PointerValue(meta.CreationProgress),
		Status:           textValue(meta.Status),
		Type:             textValue(meta.Type),
	}
}

func newPronunciationDictionaryVersionModel(version audioprojects.PronunciationDictionaryVersion) pronunciationDictionaryVersionModel {
	return pronunciationDictionaryVersionModel{
		VersionID:                 textValue(version.VersionID),
		PronunciationDictionaryID: textValue(version.PronunciationDictionaryID),
		DictionaryName:            textValue(version.DictionaryName),
		VersionName:               textValue(version.VersionName),
		CreatedBy:                 textValue(version.CreatedBy),
		CreationTimeUnix:          integerValue(version.CreationTimeUnix),
	}
}

// models converts a list from the service to a list for Terraform. A list that is absent or null becomes null.
func models[From, To any](list []From, model func(From) To) []To {
	if list == nil {
		return nil
	}
	all := make([]To, len(list))
	for i, element := range list {
		all[i] = model(element)
	}
	return all
}

// jsonValue is JSON as the client gives it: an unchanged value is the same text.
func jsonValue(text json.RawMessage) jsontypes.Normalized {
	if text == nil {
		return jsontypes.NewNormalizedNull()
	}
	return jsontypes.NewNormalizedValue(string(text))
}
