package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const conversionTypeName = "audioprojects_chapter_conversion"

// Nearly all objects of a plan are found as they were, with nothing to do. The framework
// takes a millisecond and a half for each of them to find that out, most of it on ways
// through the schema, so the server does, in a tenth of that. Whatever may be otherwise it
// leaves to the framework, whose answer to these is the same. The framework also keeps the
// context of every request until the process ends, some 15 KB each.

// UpgradeResourceState answers for a state that is of the schema already.
func (s *server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if req.TypeName == conversionTypeName && req.Version == conversionSchema().Version {
		if state := encoded(req.RawState); state != nil {
			return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: state}, nil
		}
	}
	return s.protocol.UpgradeResourceState(ctx, req)
}

// encoded converts the JSON of the state file to the protocol's encoding; nil if it does not fit
// the schema. What a later version of the provider has added is dropped, as the framework does.
func encoded(raw *tfprotov6.RawState) *tfprotov6.DynamicValue {
	if raw == nil {
		return nil
	}
	lenient := tfprotov6.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}}
	object, err := raw.UnmarshalWithOpts(conversionType(), lenient)
	if err != nil {
		return nil
	}
	state, err := tfprotov6.NewDynamicValue(conversionType(), object)
	if err != nil {
		return nil
	}
	return &state
}

// ValidateResourceConfig answers for a configuration that names a chapter and sets no timeouts.
func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if req.TypeName == conversionTypeName && isPlain(req.Config) {
		return &tfprotov6.ValidateResourceConfigResponse{}, nil
	}
	return s.protocol.ValidateResourceConfig(ctx, req)
}

// isPlain tells whether nothing with a validator is set but ids that are right.
func isPlain(config *tfprotov6.DynamicValue) bool {
	object := attributesOf(config)
	for _, name := range []string{"project_id", "chapter_id"} {
		var id string
		if object[name].As(&id) != nil || audioprojects.CheckID(id) != nil {
			return false
		}
	}
	return object["timeouts"].IsNull()
}

// ReadResource answers for a conversion that is settled, and whose chapter the state shows as it is.
func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if known := readSettled(ctx, req.TypeName, req.CurrentState, req.Private); known != nil && s.finds(ctx, known) {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: known.protocolIdentity()}, nil
	}
	return s.protocol.ReadResource(ctx, req)
}

// PlanResourceChange answers for a conversion that is settled, and for which Terraform
// proposes what is there.
func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if s.provider.data.Load().ready() && alike(req.PriorState, req.ProposedNewState) {
		if known := readSettled(ctx, req.TypeName, req.PriorState, req.PriorPrivate); known != nil && known.stays(req.Config) {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}, nil
		}
	}
	return s.protocol.PlanResourceChange(ctx, req)
}

// alike tells whether two values came in the same bytes. Others may be equal, too: of those nothing is concluded.
func alike(a, b *tfprotov6.DynamicValue) bool {
	return a != nil && b != nil && bytes.Equal(a.MsgPack, b.MsgPack) && bytes.Equal(a.JSON, b.JSON)
}

// settledConversion is the part of an object that decides whether it stays as it is.
type settledConversion struct {
	chapterConversionModel
	leftover int64
}

// readSettled is nil for a conversion that has something pending, and for all that it does not understand.
func readSettled(ctx context.Context, typeName string, state *tfprotov6.DynamicValue, private []byte) *settledConversion {
	if typeName != conversionTypeName {
		return nil
	}
	var known settledConversion
	err := errors.Join(
		readModel(ctx, reflect.ValueOf(&known.chapterConversionModel).Elem(), attributesOf(state)),
		readPrivate(private, leftoverKey, &known.leftover),
	)
	if err != nil || !known.PendingConversion.IsNull() {
		return nil
	}
	return &known
}

// finds tells whether the chapter is as it was, with no more left over than is known.
func (s *server) finds(ctx context.Context, known *settledConversion) bool {
	data := s.provider.data.Load()
	if !data.ready() || known.unconverted() < known.leftover {
		return false
	}
	chapter, err := data.engine.Chapter(ctx, known.ProjectID.ValueString(), known.ChapterID.ValueString())
	return err == nil && newChapterModel(chapter).equal(known.chapterModel)
}

// stays tells whether the configuration asks for nothing more than there is.
func (c *settledConversion) stays(config *tfprotov6.DynamicValue) bool {
	if !c.KeepUpToDate.ValueBool() {
		// Terraform proposes what the configuration says; where it says nothing, this is the default.
		return !c.KeepUpToDate.IsNull()
	}
	return c.unconverted() <= c.leftover && !attributesOf(config)["keep_up_to_date"].IsNull()
}

func (c *settledConversion) protocolIdentity() *tfprotov6.ResourceIdentityData {
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"project_id": tftypes.String, "chapter_id": tftypes.String}}
	// Two texts always encode.
	value, _ := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, map[string]tftypes.Value{
		"project_id": tftypes.NewValue(tftypes.String, c.ProjectID.ValueString()),
		"chapter_id": tftypes.NewValue(tftypes.String, c.ChapterID.ValueString()),
	}))
	return &tfprotov6.ResourceIdentityData{IdentityData: &value}
}

var conversionSchema = sync.OnceValue(func() schema.Schema {
	var described resource.SchemaResponse
	new(chapterConversionResource).Schema(context.Background(), resource.SchemaRequest{}, &described)
	return described.Schema
})

var attributeTypes = sync.OnceValue(func() map[string]attr.Type {
	kinds := map[string]attr.Type{}
	for name, attribute := range conversionSchema().Attributes {
		kinds[name] = attribute.GetType()
	}
	return kinds
})

var conversionType = sync.OnceValue(func() tftypes.Type {
	return conversionSchema().Type().TerraformType(context.Background())
})

// attributesOf is nil for an object that is missing, null or cannot be read.
func attributesOf(value *tfprotov6.DynamicValue) (attributes map[string]tftypes.Value) {
	if value == nil {
		return nil
	}
	object, err := value.Unmarshal(conversionType())
	if err != nil || object.As(&attributes) != nil {
		return nil
	}
	return attributes
}

// readModel fills the fields of a model, by their tfsdk tags.
func readModel(ctx context.Context, model reflect.Value, attributes map[string]tftypes.Value) error {
	if attributes == nil {
		return errors.New("the object cannot be read")
	}
	for field, value := range model.Fields() {
		if field.Anonymous {
			if err := readModel(ctx, value, attributes); err != nil {
				return err
			}
			continue
		}
		name := field.Tag.Get("tfsdk")
		read, err := attributeTypes()[name].ValueFromTerraform(ctx, attributes[name])
		if err != nil {
			return err
		}
		value.Set(reflect.ValueOf(read))
	}
	return nil
}

// readPrivate reads what the framework has kept of [setPrivate]. What it keeps for itself
// begins with a point, and is its own to deal with.
func readPrivate(private []byte, key string, value any) error {
	if len(private) == 0 {
		return nil
	}
	var kept map[string][]byte
	if err := json.Unmarshal(private, &kept); err != nil {
		return err
	}
	for name := range kept {
		if strings.HasPrefix(name, ".") {
			return errors.New("the framework keeps something for itself")
		}
	}
	if kept[key] == nil {
		return nil
	}
	return json.Unmarshal(kept[key], value)
}
