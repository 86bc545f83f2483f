package audioprojects

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
)

// Project is section 2.1 of the document. A field that is absent or null in the answer is nil.
// Fields that end in Unix are in seconds since 1970.
type Project struct {
	ProjectID                       string                                    `json:"project_id"`
	Name                            Lenient[Text]                             `json:"name"`
	CreateDateUnix                  Lenient[Integer]                          `json:"create_date_unix"`
	DefaultTitleVoiceID             Lenient[Text]                             `json:"default_title_voice_id"`
	DefaultParagraphVoiceID         Lenient[Text]                             `json:"default_paragraph_voice_id"`
	DefaultModelID                  Lenient[Text]                             `json:"default_model_id"`
	CanBeDownloaded                 Lenient[bool]                             `json:"can_be_downloaded"`
	VolumeNormalization             Lenient[bool]                             `json:"volume_normalization"`
	State                           *Text                                     `json:"state"`
	AccessLevel                     Lenient[Text]                             `json:"access_level"`
	QualityCheckOn                  Lenient[bool]                             `json:"quality_check_on"`
	QualityCheckOnWhenBulkConvert   Lenient[bool]                             `json:"quality_check_on_when_bulk_convert"`
	QualityPreset                   Lenient[Text]                             `json:"quality_preset"`
	Chapters                        []Chapter                                 `json:"chapters"`
	PronunciationDictionaryVersions Lenient[[]PronunciationDictionaryVersion] `json:"pronunciation_dictionary_versions"`
	ApplyTextNormalization          Lenient[Text]                             `json:"apply_text_normalization"`
	// The document says nothing of what is in Experimental.
	Experimental            *JSON                 `json:"experimental"`
	LastConversionDateUnix  Lenient[Integer]      `json:"last_conversion_date_unix"`
	Title                   Lenient[Text]         `json:"title"`
	Author                  Lenient[Text]         `json:"author"`
	Description             Lenient[Text]         `json:"description"`
	Genres                  Lenient[[]*Text]      `json:"genres"`
	CoverImageURL           Lenient[Text]         `json:"cover_image_url"`
	TargetAudience          Lenient[Text]         `json:"target_audience"`
	Language                Lenient[Text]         `json:"language"`
	ContentType             Lenient[Text]         `json:"content_type"`
	OriginalPublicationDate Lenient[Text]         `json:"original_publication_date"`
	MatureContent           Lenient[bool]         `json:"mature_content"`
	ISBNNumber              Lenient[Text]         `json:"isbn_number"`
	Fiction                 Lenient[Text]         `json:"fiction"`
	CreationMeta            Lenient[CreationMeta] `json:"creation_meta"`
	// Raw is the whole record without its chapters.
	Raw Raw `json:"-"`
}

// Busy reports whether something is under way in the whole project: section 3.1 has the states creating, converting and
// in_queue beside default.
func (p Project) Busy() bool { return Chapter{State: p.State}.Busy() }

// CreationMeta is section 2.2: how far the creation of a project is.
type CreationMeta struct {
	// CreationProgress is an integer in the document. A fraction is accepted as well.
	CreationProgress Lenient[float64] `json:"creation_progress"`
	Status           Lenient[Text]    `json:"status"`
	Type             Lenient[Text]    `json:"type"`
}

// PronunciationDictionaryVersion is section 2.4. CreationTimeUnix is in seconds since 1970.
type PronunciationDictionaryVersion struct {
	VersionID                 Lenient[Text]    `json:"version_id"`
	PronunciationDictionaryID Lenient[Text]    `json:"pronunciation_dictionary_id"`
	DictionaryName            Lenient[Text]    `json:"dictionary_name"`
	VersionName               Lenient[Text]    `json:"version_name"`
	CreatedBy                 Lenient[Text]    `json:"created_by"`
	CreationTimeUnix          Lenient[Integer] `json:"creation_time_unix"`
}

// ProjectRecord is an element of the list of all projects. The document does not give the
// shape of that list (section 4.6), so the record is kept as received.
type ProjectRecord struct {
	ProjectID string        `json:"project_id"`
	Name      Lenient[Text] `json:"name"`
	// Record is the whole element.
	Record JSON `json:"json"`
}

// GetProject reads a project with its chapters: section 4.1 of the document. If the record says that it lacks some of them, an
// [*IncompleteError] comes with what it has.
func (c *Client) GetProject(ctx context.Context, projectID string) (Project, error) {
	return get(ctx, c, func(response *http.Response, text []byte) (Project, error) {
		project, err := c.decodeProject(text)
		if err == nil && response.StatusCode == http.StatusPartialContent {
			err = &IncompleteError{partialContent}
		}
		return project, err
	}, "projects", projectID)
}

func (c *Client) decodeProject(text []byte) (project Project, err error) {
	var fields map[string]json.RawMessage
	contradictory := ""
	hasTwice, _ := unmarshalTwice(text, &fields) // What is no object is refused below.
	if hasTwice {
		contradictory = contradiction(text, reflect.TypeFor[Project]())
	}
	chapters := fields["chapters"]
	delete(fields, "chapters")
	rest, _ := json.Marshal(fields) // What has been decoded is always encoded.
	switch {
	case fields == nil:
		return Project{}, fmt.Errorf("the answer is no JSON object; it reads %s", c.config.excerpt(string(text)))
	case contradictory != "":
		return Project{}, fmt.Errorf("the answer has %s twice, with different contents", contradictory)
	case atMostValues(rest) > maxRecords: // There are other lists, and experimental may hold anything.
		return Project{}, fmt.Errorf("the answer has more than %d values beside its chapters", maxRecords)
	}
	_, err = c.decodeRecord("the answer", rest, "project_id", &project.ProjectID, &project)
	if err != nil {
		return Project{}, err
	}
	project.Raw, project.Chapters = Raw(rest), nil
	if chapters == nil || string(chapters) == "null" {
		return project, nil
	}
	project.Chapters, err = c.decodeChapters(anyOfThese, new(http.Response), chapters) // The header is that of the record.
	if err != nil {
		return project, err
	}
	var elements []json.RawMessage
	_ = json.Unmarshal(chapters, &elements) // They have been read.
	mark := incompleteness{name: "chapters", listed: len(elements), isRecord: true}.mark(fields, "")
	if mark != "" {
		return project, &IncompleteError{c.config.excerpt(mark)}
	}
	return project, nil
}

// ListProjects lists all projects: section 4.6 of the document. The answer may be an
// array, or an object with an array under projects.
func (c *Client) ListProjects(ctx context.Context) ([]ProjectRecord, error) {
	return getList(ctx, c, anyOfThese, c.decodeProjectRecord, "projects")
}

func (c *Client) decodeProjectRecord(subject string, text []byte) (record ProjectRecord, err error) {
	_, err = c.decodeRecord(subject, text, "project_id", &record.ProjectID, &record)
	record.Record = c.config.json(JSON(text))
	return record, err
}
