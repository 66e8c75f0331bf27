struct SingleJSONEncodingContainer: SingleValueEncodingContainer {
    let writer: JSONWriter
    let id: Int

    var codingPath: [any CodingKey] { writer.path() }

    func encodeNil() {
        writer.form(id, as: .single)
        writer.append(literal: "null")
    }

    func encode(_ value: Bool) {
        writer.form(id, as: .single)
        writer.append(literal: value ? "true" : "false")
    }

    func encode(_ value: String) {
        writer.form(id, as: .single)
        writer.append(value)
    }

    func encode(_ value: Int) {
        writer.form(id, as: .single)
        writer.append(literal: String(value))
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        writer.form(id, as: .single)
        // A number encodes itself here, and must not be asked to do so again.
        if value is any ParameterScalar, let number = value as? any FixedWidthInteger {
            writer.append(literal: String(number))
        } else if value is any ParameterScalar,
            let number = value as? any (BinaryFloatingPoint & LosslessStringConvertible)
        {
            try writer.write(number, at: .top)
        } else {
            try writer.write(value, at: .top)
        }
    }
}
