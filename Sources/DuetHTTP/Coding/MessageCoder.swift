import Foundation
package import HTTPTypes

/// Writes the messages of one type as requests and reads them back, by the settings of an API.
///
/// Made once for each type: it finds out what the type promises (a body, a filter, an id), so that no request has to.
package struct MessageCoder<Message: HTTPMessage>: Sendable {
    /// What is wrong with the declaration; empty when every message can be read back as it was written.
    package let faults: [InvalidHTTPAPI.Fault]

    private let layout: MessageLayout
    private let json: JSONCoder
    private let headers: HTTPFields

    /// The same with the type of a JSON body.
    private let jsonHeaders: HTTPFields

    /// Whether a message is a JSON object as it is: nothing is in its path, nothing renamed, nothing promised.
    private let isPlain: Bool
    private let promises: [MessagePromise<Message>]
    private let body: (@Sendable (Message, JSONCoder) throws -> HTTPBytes)?
    private let hasBytes: Bool

    package init(_ method: HTTPRequest.Method, _ settings: HTTPSettings) {
        let coding = Message.coding ?? settings.coding
        let body = MessagePromise<Message>.body(of: Message.self)
        let content: MessageLayout.Content =
            switch method {
            case .get, .head, .delete: .none
            default: body.map { .property($0.key) } ?? .object
            }
        layout = MessageLayout(
            message: Message.messageName,
            template: PathTemplate(Message.path),
            names: KeyNames(coding.keys, own: Message.parameterNames),
            dates: coding.dates,
            defaults: content == .object ? [:] : Message.parameterDefaults,
            content: content
        )
        json = JSONCoder(coding)
        headers = settings.headers
        var jsonHeaders = settings.headers
        jsonHeaders[.contentType] = "application/json"
        self.jsonHeaders = jsonHeaders
        promises = MessagePromise.all(of: Message.self)
        self.body = content == .none ? nil : body?.bytes
        hasBytes = (Message.self as? any BodyCommand.Type).map { $0.sendsBytes } ?? false
        let declaration = MessageDeclaration(
            Message.self,
            layout,
            method,
            promises: promises.map(\.key),
            bodyKey: body?.key
        )
        isPlain =
            layout.content == .object && layout.template.placeholders.isEmpty && layout.names.isIdentity
            && promises.isEmpty
            && declaration.hasProperties
        faults = declaration.faults.map { .init([Message.messageName], "\(Message.messageName) \($0)".asSentence) }
    }

    /// The message as a request.
    ///
    /// - Throws: ``HTTPMessageError`` for a value that cannot be written.
    package func encode(_ message: Message) throws -> EncodedMessage {
        do {
            if isPlain {
                let content = HTTPBytes(try json.encode(message), mediaType: "application/json")
                let headers = try fields(message, content)
                return EncodedMessage(path: layout.template.text, headers: headers, body: content.data)
            }
            let writer = ParameterWriter(layout)
            var content: HTTPBytes?
            if layout.content == .object {
                let data = try json.encode(message, parameters: writer)
                content = HTTPBytes(data, mediaType: "application/json")
            } else {
                try message.encode(
                    to: ParameterEncoder(writer: writer, place: .message, parent: .message)
                )
                content = try body?(message, json)
            }
            for promise in promises where !writer.keys.contains(promise.key) && promise.isKept(message) {
                let reason =
                    "is not encoded, though its protocol promises it; see to it that encode(to:) and CodingKeys have it"
                throw writer.unsendable(promise.key, reason)
            }
            return EncodedMessage(
                path: try writer.finish(),
                headers: try fields(message, content),
                body: content?.data
            )
        } catch let error as EncodingError {
            throw HTTPMessageError(error, message: Message.messageName)
        }
    }

    /// The message of a request.
    ///
    /// - Throws: ``HTTPMessageError`` that names the parameter or the path to the fault.
    package func decode(_ request: ReceivedMessage) throws -> Message {
        let reader = try ParameterReader(request, layout, json)
        do {
            guard layout.content == .object else {
                let message = try Message(from: ParameterDecoder(reader: reader, place: .message))
                try checkMediaType(of: message, request)
                return message
            }
            // No content at all is a request without properties: what is missing is then told by its name.
            let isEmpty = request.body.isEmpty && request.contentType == nil
            if !isEmpty { try request.checkJSON() }
            let document = isEmpty ? Data("{}".utf8) : request.body
            if isPlain { return try json.decode(Message.self, from: document) }
            do {
                return try json.decoder.decode(MessageObject.self, from: document, configuration: reader).message
            } catch let error as DecodingError where error.isOfTheParser {
                reader.locate()
                return try json.decoder.decode(MessageObject.self, from: document, configuration: reader).message
            }
        } catch let error as DecodingError {
            throw HTTPMessageError(error)
        }
    }

    /// Checks that bytes came as what the message itself would send them as: the property that they were read into may hold
    /// nothing but them, and what they are called would be lost.
    ///
    /// - Throws: ``HTTPMessageError/unsupportedMediaType(expected:)``.
    private func checkMediaType(of message: Message, _ request: ReceivedMessage) throws {
        guard hasBytes, let body else { return }
        let expected = try body(message, json).mediaType
        let declared = request.contentType ?? "application/octet-stream"
        guard MediaType.essence(of: declared) == MediaType.essence(of: expected) else {
            throw HTTPMessageError.unsupportedMediaType(expected: [expected])
        }
    }

    /// The API's fields, those of the message in their place where both have them, and the type of the body.
    private func fields(_ message: Message, _ content: HTTPBytes?) throws -> HTTPFields {
        let own = message.requestHeaders
        if own.isEmpty, content?.mediaType == "application/json", content?.entityTag == nil { return jsonHeaders }
        var fields = headers
        for field in own { fields[field.name] = nil }
        for field in own { fields.append(field) }
        guard let content else { return fields }
        guard HTTPField.isValidValue(content.mediaType), !content.mediaType.isEmpty, content.entityTag == nil else {
            let reason = "must have a media type that a header can hold, and no entity tag"
            throw HTTPMessageError.unsendable(message: Message.messageName, property: "body", reason: reason)
        }
        fields[.contentType] = content.mediaType
        return fields
    }
}

extension String {
    fileprivate var asSentence: String { hasSuffix(".") ? self : self + "." }
}

extension BodyCommand {
    fileprivate static var sendsBytes: Bool { Body.self == HTTPBytes.self }
}
