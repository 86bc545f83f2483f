package audioprojects

import (
	"cmp"
	"context"
)

// Project is section 2.1 of the document. A field that is absent or null in the answer is nil, and so is one of another type.
// Fields that end in Unix are in seconds since 1970.
type Project struct {
	ProjectID                       string                           `json:"project_id" odd:"refused"`
	Name                            *Text                            `json:"name"`
	CreateDateUnix                  *Integer                         `json:"create_date_unix"`
	DefaultTitleVoiceID             *Text                            `json:"default_title_voice_id"`
	DefaultParagraphVoiceID         *Text                            `json:"default_paragraph_voice_id"`
	DefaultModelID                  *Text                            `json:"default_model_id"`
	CanBeDownloaded                 *bool                            `json:"can_be_downloaded"`
	VolumeNormalization             *bool                            `json:"volume_normalization"`
	State                           *Text                            `json:"state" odd:"unread"`
	AccessLevel                     *Text                            `json:"access_level"`
	QualityCheckOn                  *bool                            `json:"quality_check_on"`
	QualityCheckOnWhenBulkConvert   *bool                            `json:"quality_check_on_when_bulk_convert"`
	QualityPreset                   *Text                            `json:"quality_preset"`
	Chapters                        []Chapter                        `json:"chapters" odd:"refused" list:"optional"`
	PronunciationDictionaryVersions []PronunciationDictionaryVersion `json:"pronunciation_dictionary_versions"`
	ApplyTextNormalization          *Text                            `json:"apply_text_normalization"`
	// The document says nothing of what is in Experimental.
	Experimental            *JSON         `json:"experimental"`
	LastConversionDateUnix  *Integer      `json:"last_conversion_date_unix"`
	Title                   *Text         `json:"title"`
	Author                  *Text         `json:"author"`
	Description             *Text         `json:"description"`
	Genres                  []*Text       `json:"genres"`
	CoverImageURL           *Text         `json:"cover_image_url"`
	TargetAudience          *Text         `json:"target_audience"`
	Language                *Text         `json:"language"`
	ContentType             *Text         `json:"content_type"`
	OriginalPublicationDate *Text         `json:"original_publication_date"`
	MatureContent           *bool         `json:"mature_content"`
	ISBNNumber              *Text         `json:"isbn_number"`
	Fiction                 *Text         `json:"fiction"`
	CreationMeta            *CreationMeta `json:"creation_meta"`
	// Odd says which fields have another type than in the document, and quotes them; empty if none has.
	Odd Text `json:"-"`
	// Problem is Odd about the state alone. Unless it is empty, nobody can tell whether something is under way in the whole project.
	Problem Text `json:"-"`
	// Raw is the whole record without its chapters.
	Raw Raw `json:"-"`
}

// Busy reports whether something is under way in the whole project: section 3.1 has the states creating, converting and
// in_queue beside default.
func (p Project) Busy() bool { return Chapter{State: p.State}.Busy() }

// CreationMeta is section 2.2: how far the creation of a project is.
type CreationMeta struct {
	// CreationProgress is an integer in the document. A fraction is accepted as well.
	CreationProgress *float64 `json:"creation_progress"`
	Status           *Text    `json:"status"`
	Type             *Text    `json:"type"`
}

// PronunciationDictionaryVersion is section 2.4. CreationTimeUnix is in seconds since 1970.
type PronunciationDictionaryVersion struct {
	VersionID                 *Text    `json:"version_id"`
	PronunciationDictionaryID *Text    `json:"pronunciation_dictionary_id"`
	DictionaryName            *Text    `json:"dictionary_name"`
	VersionName               *Text    `json:"version_name"`
	CreatedBy                 *Text    `json:"created_by"`
	CreationTimeUnix          *Integer `json:"creation_time_unix"`
}

// ProjectRecord is an element of the list of all projects. The document does not give the
// shape of that list (section 4.6), so the record is kept as received.
type ProjectRecord struct {
	ProjectID string `json:"project_id"`
	// Name is nil when the record has none.
	Name *Text `json:"name"`
	// Record is the whole element.
	Record JSON `json:"json"`
}

// UnmarshalJSON never fails.
func (r *ProjectRecord) UnmarshalJSON(text []byte) error {
	*r = ProjectRecord{*cmp.Or(field[string](text, "project_id"), new("")), field[Text](text, "name"), JSON(text)}
	return nil
}

// GetProject reads a project with its chapters: section 4.1 of the document.
func (c *Client) GetProject(ctx context.Context, projectID string) (Project, error) {
	project, came, err := get[Project](ctx, c, "projects", projectID)
	if came == nil {
		return Project{}, err
	}
	c.keepRaw(project.Chapters, came)
	project.Raw = withoutChapters(came)
	project.Chapters = withoutCopies(project.Chapters)
	return project, err
}

// ListProjects lists all projects: section 4.6 of the document. The answer may be an
// array, or an object with an array under projects.
func (c *Client) ListProjects(ctx context.Context) ([]ProjectRecord, error) {
	answer, _, err := get[struct {
		Projects []ProjectRecord `json:"projects" list:"required"`
	}](ctx, c, "projects")
	return answer.Projects, err
}
