package audioprojects

import "context"

// Project is section 2.1 of the document. A field that is absent or null in the answer is nil.
// Fields that end in Unix are in seconds since 1970.
type Project struct {
	ProjectID                       string                           `json:"project_id"`
	Name                            *Text                            `json:"name"`
	CreateDateUnix                  *Integer                         `json:"create_date_unix"`
	DefaultTitleVoiceID             *Text                            `json:"default_title_voice_id"`
	DefaultParagraphVoiceID         *Text                            `json:"default_paragraph_voice_id"`
	DefaultModelID                  *Text                            `json:"default_model_id"`
	CanBeDownloaded                 *bool                            `json:"can_be_downloaded"`
	VolumeNormalization             *bool                            `json:"volume_normalization"`
	State                           *Text                            `json:"state" odd:"refused"`
	AccessLevel                     *Text                            `json:"access_level"`
	QualityCheckOn                  *bool                            `json:"quality_check_on"`
	QualityCheckOnWhenBulkConvert   *bool                            `json:"quality_check_on_when_bulk_convert"`
	QualityPreset                   *Text                            `json:"quality_preset"`
	Chapters                        []Chapter                        `json:"chapters"`
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

// GetProject reads a project with its chapters: section 4.1 of the document.
func (c *Client) GetProject(ctx context.Context, projectID string) (project Project, err error) {
	err = c.get(ctx, func(text []byte) (err error) {
		project, err = c.project(text)
		return err
	}, "projects", projectID)
	return project, err
}

func (c *Client) project(text []byte) (project Project, err error) {
	fields, err := c.reader().object(text)
	if err == nil {
		err = c.reader().record("the answer", text, &project)
	}
	if err != nil {
		return Project{}, err
	}
	project.Raw = withoutChapters(fields)
	return project, nil
}

// ListProjects lists all projects: section 4.6 of the document. The answer may be an
// array, or an object with an array under projects.
func (c *Client) ListProjects(ctx context.Context) ([]ProjectRecord, error) {
	return getList[ProjectRecord](ctx, c, "projects")
}

// getList asks for the list at the given path elements, whose last one is its name.
func getList[T any](ctx context.Context, c *Client, elements ...string) (records []T, err error) {
	err = c.get(ctx, func(text []byte) (err error) {
		records, err = list[T](c.reader(), elements[len(elements)-1], text)
		return err
	}, elements...)
	return records, err
}
