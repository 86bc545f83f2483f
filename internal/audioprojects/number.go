package audioprojects

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
)

// Integer is a whole number of the document. It is read from any JSON number, without the
// part after the decimal point: 12.0, 12.9 and 1.2e1 are 12.
type Integer int64

// UnmarshalJSON fails with a [json.UnmarshalTypeError] for what is not a number, and for a number that it cannot read
// exactly: one of more than 64 bits, or one with a point or an exponent and of more than the 53 bits that are exact in a float64.
func (i *Integer) UnmarshalJSON(text []byte) error {
	whole, err := strconv.ParseInt(string(text), 10, 64)
	if err == nil {
		*i = Integer(whole)
		return nil
	}
	var number float64
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	if math.Abs(number) >= 1<<53 {
		return &json.UnmarshalTypeError{Value: "number too big to be read exactly", Type: reflect.TypeFor[Integer]()}
	}
	*i = Integer(number)
	return nil
}
