package mockserver

import "encoding/json"

// SetField makes the service show a field of a chapter as the given JSON, of any type, in the list of chapters and in the project's record.
// If the chapter is empty, it is a field of the project's record. An empty value shows the field as it is again.
func (s *Server) SetField(projectID, chapterID, field, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := chapterKey{projectID, chapterID}
	if s.odd[path] == nil {
		s.odd[path] = map[string]json.RawMessage{}
	}
	s.odd[path][field] = json.RawMessage(value)
	if value == "" {
		delete(s.odd[path], field)
	}
}

// withFields is a record that has chapters, with the fields that are set.
func (s *Server) withFields(projectID string, record any) any {
	if len(s.odd) == 0 {
		return record
	}
	shown, _ := decode(encode(record)).(map[string]any)
	chapters, _ := shown["chapters"].([]any)
	for _, chapter := range chapters {
		fields, _ := chapter.(map[string]any)
		id, _ := fields["chapter_id"].(string)
		for field, value := range s.odd[chapterKey{projectID, id}] {
			fields[field] = value
		}
	}
	for field, value := range s.odd[chapterKey{projectID: projectID}] {
		shown[field] = value
	}
	return shown
}
