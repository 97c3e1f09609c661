package record

import (
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf16"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// appendMessage writes a message in the one way in which records write it: protobuf-JSON without blanks, fields by
// number under their own names, enums by name, bytes in base64, and everything present but absent optionals.
func appendMessage(out []byte, message protoreflect.Message) []byte {
	fields := message.Descriptor().Fields()
	ordered := make([]protoreflect.FieldDescriptor, fields.Len())
	for i := range ordered {
		ordered[i] = fields.Get(i)
	}
	slices.SortFunc(ordered, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	out = append(out, '{')
	isFirst := true
	for _, field := range ordered {
		if field.HasPresence() && !message.Has(field) {
			continue
		}
		if !isFirst {
			out = append(out, ',')
		}
		isFirst = false
		out = append(appendQuoted(out, string(field.Name())), ':')
		value := message.Get(field)
		if !field.IsList() {
			out = appendValue(out, field, value)
			continue
		}
		out = append(out, '[')
		for i := range value.List().Len() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, field, value.List().Get(i))
		}
		out = append(out, ']')
	}
	return append(out, '}')
}

func appendValue(out []byte, field protoreflect.FieldDescriptor, value protoreflect.Value) []byte {
	switch field.Kind() {
	case protoreflect.MessageKind:
		return appendMessage(out, value.Message())
	case protoreflect.EnumKind:
		if known := field.Enum().Values().ByNumber(value.Enum()); known != nil {
			return appendQuoted(out, string(known.Name()))
		}
		return strconv.AppendInt(out, int64(value.Enum()), 10)
	case protoreflect.BoolKind:
		return strconv.AppendBool(out, value.Bool())
	case protoreflect.BytesKind:
		out = append(out, '"')
		out = base64.StdEncoding.AppendEncode(out, value.Bytes())
		return append(out, '"')
	case protoreflect.StringKind:
		return appendQuoted(out, value.String())
	case protoreflect.Uint32Kind:
		return strconv.AppendUint(out, value.Uint(), 10)
	}
	return strconv.AppendInt(out, value.Int(), 10)
}

// appendQuoted writes a text as JSON in ASCII.
func appendQuoted(out []byte, text string) []byte {
	const digits = "0123456789abcdef"
	short := map[rune]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'}
	out = append(out, '"')
	for _, sign := range text {
		if letter, known := short[sign]; known {
			out = append(out, '\\', letter)
			continue
		}
		if sign >= ' ' && sign <= 0x7f {
			out = append(out, byte(sign))
			continue
		}
		for _, unit := range utf16.Encode([]rune{sign}) {
			out = append(out, '\\', 'u', digits[unit>>12], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
		}
	}
	return append(out, '"')
}
