#if NATS
    import Foundation

    /// The response of `STREAM.MSG.GET`.
    struct StoredReply: Decodable, Sendable {
        let message: StoredMessage
    }

    /// A message of a stream as `STREAM.MSG.GET` returns it.
    struct StoredMessage: Decodable, Sendable {
        let subject: String
        let seq: UInt64
        let data: Data?
        /// The headers as they are sent: a first line, then a line each.
        let hdrs: Data?
        let time: String

        var message: CoreMessage {
            var message = CoreMessage(subject: subject, payload: data ?? Data())
            let lines = String(decoding: hdrs ?? Data(), as: UTF8.self).split(separator: "\r\n")
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                message.headers[String(line[..<colon])] = String(value)
            }
            return message
        }

        /// When the stream stored the message.
        var date: Date { ServerTime.date(time) }
    }

    /// Times of the server, such as 2025-01-31T12:00:00.123456789Z.
    enum ServerTime {
        static func date(_ text: String) -> Date {
            Date(timeIntervalSince1970: Double(microseconds(text)) / 1_000_000)
        }

        /// Since 1970; 0 for another text.
        static func microseconds(_ text: String) -> UInt64 {
            let seconds = (try? Date(String(text.prefix(19)) + "Z", strategy: .iso8601))?.timeIntervalSince1970 ?? 0
            let fraction = String(text.dropFirst(20).prefix { $0.isNumber }.prefix(6))
            let padded = fraction + String(repeating: "0", count: 6 - fraction.count)
            return UInt64(max(0, seconds)) * 1_000_000 + (UInt64(padded) ?? 0)
        }
    }
#endif
