import Foundation

/// A message as a JSON object, without what is in its path.
struct MessageObject<Message: HTTPMessage> {
    let message: Message
}

extension MessageObject: EncodableWithConfiguration {
    func encode(to encoder: any Encoder, configuration writer: ParameterWriter) throws {
        // A message without properties is an object too.
        _ = encoder.container(keyedBy: WireKey.self)
        try message.encode(to: NamingEncoder(base: encoder, names: writer.layout.names, writer: writer))
    }
}

extension MessageObject: DecodableWithConfiguration {
    init(from decoder: any Decoder, configuration reader: ParameterReader) throws {
        message = try Message(from: NamingDecoder(base: decoder, names: reader.names, reader: reader))
    }
}
