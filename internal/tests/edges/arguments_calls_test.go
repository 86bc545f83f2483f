package edges_test

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// What core calls at each moment, for each kind of block.

func (r *argumentsRun) playResource(moment string, process *fakecore.Process, instance *fakecore.Instance) {
	arguments := r.at[moment].arguments
	w := r.workspace(instance, arguments)
	shown := &fakecore.Screen{}
	switch moment {
	case argumentsValidation:
		valid, err := process.ValidateResourceConfig(r.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: r.block.name, Config: r.core.Encode(w.Config())})
		r.core.Must(err)
		r.tell(moment, "validates the resource", valid.Diagnostics)
	case argumentsPlan:
		w.Refresh(process, shown)
		r.plan = w.PlanChange(process, shown)
		r.action = r.plan.Action
		r.planned = len(r.service.Journal())
		r.tell(moment, "plans the resource: "+r.action, shown.Diagnostics)
		*instance = w.Instance
	case argumentsApply:
		shown.Action, r.plan.Screen = r.action, shown
		before := w.Object
		outcome := w.Turn(process, shown).Apply(r.plan)
		failed := r.tell(moment, "applies the plan", shown.Diagnostics)
		if failed != (outcome != fakecore.Done) {
			r.Errorf("got outcome %d, and errors %q", outcome, r.errors)
		}
		if failed && r.action == fakecore.Update && w.Object != before {
			r.Errorf("a refused update has changed the object: %s", w.Object.Value)
		}
		*instance = w.Instance
		if w.Object == nil || failed {
			return
		}
		r.result = w.Object.Value.String()
		w.Refresh(process, shown)
		r.next = w.PlanChange(process, shown).Action
	}
}

func (r *argumentsRun) playDataSource(moment string, process *fakecore.Process) {
	value := fakecore.ValueOf(r.block.schema.ValueType(), r.in(r.at[moment].arguments))
	config := r.core.Encode(value)
	valid, err := process.ValidateDataResourceConfig(r.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: r.block.name, Config: config})
	r.core.Must(err)
	failed := r.tell(moment, "validates the data source", valid.Diagnostics)
	if failed || moment == argumentsValidation || !value.IsFullyKnown() {
		return
	}
	read, err := process.ReadDataSource(r.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: r.block.name, Config: config})
	r.core.Must(err)
	if !r.tell(moment, "reads the data source", read.Diagnostics) {
		value, err := read.State.Unmarshal(r.block.schema.ValueType())
		r.core.Must(err)
		r.result = value.String()
	}
}

func (r *argumentsRun) playAction(moment string, process *fakecore.Process) {
	config := r.core.ActionConfig(r.block.name, r.in(r.at[moment].arguments))
	switch moment {
	case argumentsValidation:
		valid, err := process.ValidateActionConfig(r.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: r.block.name, Config: r.core.Encode(config)})
		r.core.Must(err)
		r.tell(moment, "validates the action", valid.Diagnostics)
	case argumentsPlan:
		r.tell(moment, "plans the action", r.core.PlanAction(process, r.block.name, config).Diagnostics)
	case argumentsApply:
		shown := r.core.Invoke(process, r.block.name, config)
		r.tell(moment, "invokes the action", shown.Diagnostics)
		r.result = fmt.Sprint(shown.Completed)
	}
}

func (r *argumentsRun) playList(moment string, process *fakecore.Process) {
	arguments := r.at[moment].arguments
	valid, err := process.ValidateListResourceConfig(r.Context(), &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: r.block.name, Config: r.core.Encode(fakecore.ValueOf(r.block.schema.ValueType(), arguments)),
	})
	r.core.Must(err)
	if r.tell(moment, "validates the list", valid.Diagnostics) || moment == argumentsValidation {
		return
	}
	listed, shown := r.core.List(process, tfprotov6.ListResourceRequest{Limit: 10}, arguments, 10)
	r.tell(moment, "lists", shown.Diagnostics)
	for _, found := range listed {
		r.result += found.Identity.String()
	}
}
