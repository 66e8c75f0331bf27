import Foundation

/// A message that is read from a JSON object, without what is in its path.
struct MessageObject<Message: HTTPMessage> {
    let message: Message
}

extension MessageObject: DecodableWithConfiguration {
    init(from decoder: any Decoder, configuration reader: ParameterReader) throws {
        message = try Message(from: NamingDecoder(base: decoder, names: reader.names, reader: reader))
    }
}
