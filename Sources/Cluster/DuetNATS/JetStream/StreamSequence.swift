#if NATS
    /// The sequence of a message in a stream as a server reports it, which is less than 2⁶².
    ///
    /// A larger one is refused, so that no sum with a sequence overflows. At a million messages a second, a stream has
    /// larger ones after 146,000 years.
    @propertyWrapper
    package struct StreamSequence: Decodable, Hashable, Sendable {
        package let wrappedValue: UInt64

        package init(wrappedValue: UInt64) { self.wrappedValue = wrappedValue }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            wrappedValue = try container.decode(UInt64.self)
            guard Self.isValid(wrappedValue) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no stream has this sequence")
            }
        }

        static func isValid(_ sequence: UInt64) -> Bool { sequence < 1 << 62 }
    }

    /// The place of a message that a consumer has delivered, which the reply subject of the message contains.
    package struct DeliveredPosition: Sendable {
        /// 1 for the first delivery.
        package let deliveries: Int
        package let streamSequence: UInt64
        package let consumerSequence: UInt64

        /// Whether a reply subject is that of a stored message, of any stream and consumer.
        ///
        /// A client cannot send a message with such a subject: nats-server keeps it for its own messages.
        static func isOne(_ reply: String?) -> Bool { reply?.utf8.starts(with: "$JS.ACK.".utf8) == true }

        /// Reads `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`, or
        /// the form of newer servers with a domain and an account before the stream.
        ///
        /// It is nil for another stream or consumer: a client can have its own consumers deliver to any subject.
        package init?(reply: String?, stream name: String, consumer consumerName: String) {
            guard let reply, Self.isOne(reply), reply.utf8.count <= 1024 else { return nil }
            let tokens = reply.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard (9...16).contains(tokens.count) else { return nil }
            let first = tokens.count >= 11 ? 6 : 4
            guard tokens[first - 2].elementsEqual(name.utf8), tokens[first - 1].elementsEqual(consumerName.utf8),
                let deliveries = Int(Substring(tokens[first])), deliveries >= 1,
                let stream = UInt64(Substring(tokens[first + 1])), StreamSequence.isValid(stream),
                let consumer = UInt64(Substring(tokens[first + 2])), StreamSequence.isValid(consumer)
            else { return nil }
            self.deliveries = deliveries
            streamSequence = stream
            consumerSequence = consumer
        }
    }
#endif
