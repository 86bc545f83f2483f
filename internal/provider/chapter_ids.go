package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// chapterIDsType is the type of a set of chapters. The framework compares two sets, and each set with itself, by n²
// steps, again and again: 3,000 ids took half a minute in a plan without changes. This type compares them by a map.
type chapterIDsType struct{ basetypes.SetType }

// chapterIDs is a set of chapters, which may be null or unknown.
type chapterIDs struct{ basetypes.SetValue }

var (
	_ basetypes.SetTypable                    = chapterIDsType{}
	_ basetypes.SetValuableWithSemanticEquals = chapterIDs{}
	_ xattr.ValidateableAttribute             = chapterIDs{}
)

func newChapterIDsType() chapterIDsType {
	return chapterIDsType{basetypes.SetType{ElemType: types.StringType}}
}

// Equal reports whether another type is this one.
func (t chapterIDsType) Equal(other attr.Type) bool {
	_, isSame := other.(chapterIDsType)
	return isSame
}

// String is the name of the type in an error.
func (t chapterIDsType) String() string { return "chapterIDsType" }

// ValueType is an empty value of the type.
func (t chapterIDsType) ValueType(context.Context) attr.Value { return chapterIDs{} }

// ValueFromSet makes a value of the type.
func (t chapterIDsType) ValueFromSet(_ context.Context, set basetypes.SetValue) (basetypes.SetValuable, diag.Diagnostics) {
	return chapterIDs{set}, nil
}

// ValueFromTerraform makes a value of the type.
func (t chapterIDsType) ValueFromTerraform(ctx context.Context, value tftypes.Value) (attr.Value, error) {
	set, err := t.SetType.ValueFromTerraform(ctx, value)
	if err != nil {
		return nil, err
	}
	ids, _ := set.(basetypes.SetValue) // A SetType makes nothing else.
	return chapterIDs{ids}, nil
}

// Type is the type of the value.
func (ids chapterIDs) Type(context.Context) attr.Type { return newChapterIDsType() }

// Equal reports whether two sets have the same ids, or are both null or unknown.
func (ids chapterIDs) Equal(other attr.Value) bool {
	others, isSet := other.(chapterIDs)
	isAlike := isSet && ids.IsNull() == others.IsNull() && ids.IsUnknown() == others.IsUnknown()
	if !isAlike || len(ids.Elements()) != len(others.Elements()) {
		return false
	}
	has := make(map[attr.Value]bool, len(ids.Elements()))
	for _, id := range ids.Elements() {
		has[id] = true
	}
	for _, id := range others.Elements() {
		if !has[id] {
			return false
		}
	}
	return true
}

// SetSemanticEquals is the same as Equal.
func (ids chapterIDs) SetSemanticEquals(_ context.Context, other basetypes.SetValuable) (bool, diag.Diagnostics) {
	return ids.Equal(other), nil
}

// ValidateAttribute looks for nothing, where the framework would look for duplicates: Terraform has removed them.
func (ids chapterIDs) ValidateAttribute(context.Context, xattr.ValidateAttributeRequest, *xattr.ValidateAttributeResponse) {
}

// sameValues reports whether two objects have the same attributes, and compares their sets as this file does.
func sameValues(one, other tftypes.Value) bool {
	var attributes, others map[string]tftypes.Value
	err := errors.Join(one.As(&attributes), other.As(&others))
	if err != nil || attributes == nil || others == nil {
		return one.Equal(other)
	}
	for name, value := range attributes {
		var isSame bool
		if value.Type().Is(tftypes.Set{ElementType: tftypes.String}) {
			isSame = chapterIDsOf(value).Equal(chapterIDsOf(others[name]))
		} else {
			isSame = value.Equal(others[name])
		}
		if !isSame {
			return false
		}
	}
	return true
}

// chapterIDsOf is a set as Terraform sends it.
func chapterIDsOf(value tftypes.Value) chapterIDs {
	ids, _ := newChapterIDsType().ValueFromTerraform(context.Background(), value)
	set, _ := ids.(chapterIDs) // A set of strings is nothing else.
	return set
}

// known are the ids that are known.
func (ids chapterIDs) known() (known []string) {
	for _, element := range ids.Elements() {
		id, _ := element.(types.String)
		known = append(known, id.ValueString())
	}
	return known
}

// has are the same ids, to ask whether one is among them.
func (ids chapterIDs) has() map[string]bool {
	set := map[string]bool{}
	for _, id := range ids.known() {
		set[id] = true
	}
	return set
}
