package edges_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The kinds of blocks that have arguments.
const (
	argumentsOfResources     = "resource"
	argumentsOfDataSources   = "data source"
	argumentsOfActions       = "action"
	argumentsOfListResources = "list resource"
	argumentsOfProvider      = "provider"
)

// argumentBlock is a block that a configuration can have.
type argumentBlock struct {
	kind, name string
	schema     *tfprotov6.Schema
}

// argument is what a configuration can set in a block: an attribute, one of an object (timeouts.create), or an element of a set or a
// map (chapter_ids.*).
type argument struct {
	argumentBlock
	path     string
	kind     tftypes.Type
	required bool
	// parts says that it is an object, whose attributes are arguments of their own.
	parts bool
	// variable is the environment variable that can also set it; empty if there is none.
	variable string
}

func (a argument) String() string {
	if a.argumentBlock.kind == argumentsOfProvider {
		return "provider " + a.path
	}
	return a.argumentBlock.kind + " " + a.name + " " + a.path
}

// argumentBlocks are all blocks of the schemas, in a fixed order.
func argumentBlocks() (all []argumentBlock) {
	add := func(kind string, of map[string]*tfprotov6.Schema) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			all = append(all, argumentBlock{kind, name, of[name]})
		}
	}
	actions := map[string]*tfprotov6.Schema{}
	for name, action := range schemas().ActionSchemas {
		actions[name] = action.Schema
	}
	add(argumentsOfResources, schemas().ResourceSchemas)
	add(argumentsOfDataSources, schemas().DataSourceSchemas)
	add(argumentsOfActions, actions)
	add(argumentsOfListResources, schemas().ListResourceSchemas)
	return append(all, argumentBlock{argumentsOfProvider, "audioprojects", schemas().Provider})
}

// argumentBlockOf is the block with a kind and a name.
func argumentBlockOf(named string) argumentBlock {
	for _, block := range argumentBlocks() {
		if block.kind+" "+block.name == named {
			return block
		}
	}
	panic("no such block: " + named)
}

// arguments are all arguments of a block.
func (b argumentBlock) arguments() []argument {
	return b.argumentsOf("", b.schema.Block.Attributes)
}

var argumentNamesVariable = regexp.MustCompile(`AUDIOPROJECTS_[A-Z_]+`)

func (b argumentBlock) argumentsOf(parent string, attributes []*tfprotov6.SchemaAttribute) (all []argument) {
	for _, attribute := range attributes {
		if !attribute.Required && !attribute.Optional {
			continue
		}
		found := argument{
			argumentBlock: b, path: parent + attribute.Name, kind: attribute.Type, required: attribute.Required,
			parts: attribute.NestedType != nil, variable: argumentNamesVariable.FindString(attribute.Description),
		}
		if found.parts {
			found.kind = attribute.NestedType.ValueType()
		}
		all = append(all, found)
		element := argument{argumentBlock: b, path: found.path + ".*"}
		switch kind := found.kind.(type) {
		case tftypes.Set:
			element.kind = kind.ElementType
		case tftypes.Map:
			element.kind = kind.ElementType
		}
		switch {
		case element.kind != nil:
			all = append(all, element)
		case found.parts:
			all = append(all, b.argumentsOf(found.path+".", attribute.NestedType.Attributes)...)
		}
	}
	return all
}

// in are the arguments of a block with this one set to a value, which may be unknown.
func (a argument) in(given map[string]any, value any) map[string]any {
	set := maps.Clone(given)
	name, part, isPart := strings.Cut(a.path, ".")
	top := a.schema.ValueType().(tftypes.Object).AttributeTypes[name]
	switch {
	case !isPart:
		set[name] = value
	case top.Is(tftypes.Set{}):
		set[name] = []tftypes.Value{tftypes.NewValue(a.kind, argumentElement), tftypes.NewValue(a.kind, value)}
	case part == "*":
		set[name] = map[string]any{argumentElement: value}
	default:
		set[name] = map[string]any{part: value}
	}
	return set
}

// argumentElement is the other element of a set, and the key of an element of a map.
const argumentElement = "one"
