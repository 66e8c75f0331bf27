package import Foundation

/// Writes and reads JSON by a coding.
package struct JSONCoder: Sendable {
    private let isAsWritten: Bool
    private let coding: HTTPCoding
    let decoder: JSONDecoder

    package init(_ coding: HTTPCoding = HTTPCoding()) {
        self.coding = coding
        isAsWritten = coding.keys == .asWritten
        decoder = JSONDecoder()
        switch coding.dates {
        case .rfc3339, .millisecondsSince1970:
            let dates = coding.dates
            decoder.dateDecodingStrategy = .custom { try Date(fromJSON: $0, dates) }
        case .secondsSince1970:
            decoder.dateDecodingStrategy = .secondsSince1970
        }
    }

    /// The value as JSON: equal values are equal bytes, as the members of a dictionary are in the order of their names.
    ///
    /// - Throws: `EncodingError` for what JSON cannot hold, such as infinity.
    package func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let writer = JSONWriter(KeyNames(coding.keys), coding.dates)
        try writer.write(value, at: .top)
        return try writer.finish()
    }

    /// A message as a JSON object, without what is in its path, which `parameters` takes.
    ///
    /// - Throws: `EncodingError` for what JSON cannot hold; ``HTTPMessageError`` for what a path cannot.
    func encode<Message: HTTPMessage>(_ message: Message, parameters: ParameterWriter) throws -> Data {
        let writer = JSONWriter(parameters.layout.names, coding.dates)
        try message.encode(to: JSONValueEncoder(writer, parameters: parameters))
        return try writer.finish()
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
