package import Foundation

/// Writes and reads JSON by a coding.
package struct JSONCoder: Sendable {
    private let isAsWritten: Bool
    let encoder: JSONEncoder
    let decoder: JSONDecoder

    /// - Parameter sorts: Whether the keys are in one order, so that equal values are equal bytes; otherwise they come as it is
    ///   fastest.
    package init(_ coding: HTTPCoding = HTTPCoding(), sorts: Bool = false) {
        isAsWritten = coding.keys == .asWritten
        encoder = JSONEncoder()
        encoder.outputFormatting = sorts ? [.sortedKeys, .withoutEscapingSlashes] : .withoutEscapingSlashes
        decoder = JSONDecoder()
        switch coding.dates {
        case .rfc3339, .millisecondsSince1970:
            let dates = coding.dates
            encoder.dateEncodingStrategy = .custom { try $0.encodeForJSON(to: $1, dates) }
            decoder.dateDecodingStrategy = .custom { try Date(fromJSON: $0, dates) }
        case .secondsSince1970:
            encoder.dateEncodingStrategy = .secondsSince1970
            decoder.dateDecodingStrategy = .secondsSince1970
        }
    }

    /// The value as JSON.
    ///
    /// - Throws: `EncodingError` for what JSON cannot hold, such as infinity.
    package func encode<Value: Encodable>(_ value: Value) throws -> Data {
        isAsWritten || value is any ParameterScalar
            ? try encoder.encode(value)
            : try encoder.encode(SnakeCased(value: value))
    }

    /// The value in a JSON document.
    ///
    /// - Throws: ``HTTPMessageError`` with the path to the fault.
    package func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        do {
            if isAsWritten || type is any ParameterScalar.Type { return try decoder.decode(type, from: data) }
            return try decoder.decode(SnakeCased<Value>.self, from: data).value
        } catch let error as DecodingError {
            if isAsWritten, error.isVague { try locate(type, in: data) }
            throw HTTPMessageError(error)
        }
    }
}

extension JSONCoder {
    /// - Throws: What is wrong, if the place of it can be found out.
    private func locate<Value: Decodable>(_ type: Value.Type, in data: Data) throws {
        do {
            _ = try decoder.decode(Located<Value>.self, from: data)
        } catch let error as DecodingError where !error.isOfTheParser {
            throw HTTPMessageError(error)
        } catch {}
    }
}

extension Date {
    fileprivate func encodeForJSON(to encoder: any Encoder, _ dates: HTTPCoding.Dates) throws {
        var container = encoder.singleValueContainer()
        if case .millisecondsSince1970 = dates, let millisecondsSince1970 {
            try container.encode(millisecondsSince1970)
        } else if case .rfc3339 = dates, let rfc3339 {
            try container.encode(rfc3339)
        } else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "must be a time in the years 0000 to 9999"
            )
            throw EncodingError.invalidValue(self, context)
        }
    }

    fileprivate init(fromJSON decoder: any Decoder, _ dates: HTTPCoding.Dates) throws {
        let container = try decoder.singleValueContainer()
        if case .millisecondsSince1970 = dates {
            self.init(millisecondsSince1970: try container.decode(Int64.self))
            return
        }
        let text = try container.decode(String.self)
        guard let date = Date(rfc3339: text) else {
            let reason = "must be a date and time with an offset (RFC 3339), not \(text.quoted)"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
        self = date
    }
}
