#if NATS
    package import DuetClusterEngine
    import Foundation

    enum EngineHeader {
        /// The identifier of a command, if it differs from the one that finds duplicates.
        static let command = "Duet-Command"
        static let key = "Duet-Key"
        static let message = "Duet-Message"
        /// The failure of a node, in place of a response.
        static let failure = "Duet-Failure"
        /// The place, the attempts and the reason of a dead letter.
        static let attempts = "Duet-Attempts"
        static let reason = "Duet-Reason"
        /// The sequence of a command that was retried.
        static let retry = "Duet-Retry"

        /// In place of all headers of a message that has too many.
        static let excess = "Duet-Excess"

        /// JetStream's own.
        static let messageID = "Nats-Msg-Id"
    }

    extension CoreMessage {
        /// Begins the names of headers of an envelope, so that no other header is mistaken for one of them.
        private static let prefix = "Env-"

        init(subject: String, _ envelope: Envelope) {
            self.init(subject: subject, payload: envelope.body)
            guard !envelope.headers.isEmpty else { return }
            headers.reserveCapacity(envelope.headers.count + 4)
            for (name, value) in envelope.headers { headers[Self.prefix + name] = HeaderValue.encode(value) }
        }

        /// The envelope, which no reader accepts if its headers are beyond the limits.
        package var envelope: Envelope {
            guard headers[EngineHeader.excess] == nil else { return .unreadable }
            var envelope = Envelope(body: payload)
            for (name, value) in headers where name.utf8.starts(with: Self.prefix.utf8) {
                envelope.headers[String(name.dropFirst(Self.prefix.utf8.count))] = HeaderValue.decode(value)
            }
            return envelope.hasValidHeaders ? envelope : .unreadable
        }

        /// Reads and writes any text as a header.
        subscript(header name: String) -> String? {
            get { headers[name].map(HeaderValue.decode) }
            set { headers[name] = newValue.map(HeaderValue.encode) }
        }
    }

    /// Any text as the value of a header: control characters, percent signs and spaces at the ends are percent-encoded.
    enum HeaderValue {
        /// The client library mistakes the header behind an empty one for its value.
        private static let empty = "%"

        static func encode(_ text: String) -> String {
            guard !text.isEmpty else { return empty }
            let bytes = text.utf8
            if bytes.first != 0x20, bytes.last != 0x20, bytes.allSatisfy({ !isEscaped($0) }) { return text }
            var encoded: [UInt8] = []
            encoded.reserveCapacity(bytes.count + 16)
            for (index, byte) in bytes.enumerated() {
                guard isEscaped(byte) || byte == 0x20 && (index == 0 || index == bytes.count - 1) else {
                    encoded.append(byte)
                    continue
                }
                let hex = String(byte, radix: 16, uppercase: true)
                encoded += Array((hex.count == 1 ? "%0" : "%").utf8) + Array(hex.utf8)
            }
            return String(decoding: encoded, as: UTF8.self)
        }

        static func decode(_ text: String) -> String {
            guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
            return text == empty ? "" : text.removingPercentEncoding ?? text
        }

        private static func isEscaped(_ byte: UInt8) -> Bool {
            byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%")
        }
    }
#endif
