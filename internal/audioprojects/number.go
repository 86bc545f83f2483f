package audioprojects

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
)

// Integer is a whole number of the document. It is read from any JSON number: the
// part after a decimal point is dropped, so that 12.0 and 1.2e1 are 12.
type Integer int64

// UnmarshalJSON refuses what is not a number and what 64 bits cannot hold.
func (i *Integer) UnmarshalJSON(text []byte) error {
	if whole, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*i = Integer(whole)
		return nil
	}
	var number float64
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	if math.Abs(number) >= 1<<63 {
		return &json.UnmarshalTypeError{Value: "number of more than 64 bits", Type: reflect.TypeFor[Integer]()}
	}
	*i = Integer(number)
	return nil
}
