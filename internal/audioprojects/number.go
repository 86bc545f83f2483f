package audioprojects

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Integer is a whole number of the document. It is read from any JSON number: the
// part after a decimal point is dropped, so that 12.0 and 1.2e1 are 12.
type Integer int64

// UnmarshalJSON refuses what is not a number, and whole numbers that it cannot read exactly:
// of more than 64 bits, or with an exponent of more than the 53 that are exact in a float64.
func (i *Integer) UnmarshalJSON(text []byte) error {
	digits := string(text)
	if !strings.ContainsAny(digits, "eE") {
		digits, _, _ = strings.Cut(digits, ".")
	}
	if whole, err := strconv.ParseInt(digits, 10, 64); err == nil {
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
