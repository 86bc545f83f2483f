package audioprojects

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
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

// isKnown reports whether the number of a field is one. Services write -1 or 0 where they know none. The document names its dates *_unix
// (section 2), and all its other integers are counts: no count is negative, and no date is in the year 1970.
func (i Integer) isKnown(name string) bool {
	const beginOf1971 = 365 * 24 * 60 * 60
	isDate := strings.HasSuffix(name, "_unix")
	return i >= 0 && (!isDate || i >= beginOf1971)
}
