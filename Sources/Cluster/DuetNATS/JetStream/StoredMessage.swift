#if NATS
    package import DuetClusterEngine
    package import Foundation

    /// The response of `STREAM.MSG.GET`.
    struct StoredReply: Decodable {
        let message: StoredMessage
    }

    /// A message of a stream as `STREAM.MSG.GET` returns it.
    package struct StoredMessage: Decodable, Sendable {
        let subject: String
        @StreamSequence var seq: UInt64
        let data: Data?
        /// The headers as they are sent: a first line, then a line each.
        let hdrs: Data?
        let time: String

        package var message: CoreMessage {
            CoreMessage(
                subject: subject,
                headers: ReceivedFields(block: hdrs ?? Data()).headers,
                payload: data ?? Data()
            )
        }

        /// The position of the command of a dead letter, which the last two tokens of its subject are.
        package var position: LogPosition {
            let tokens = subject.utf8.split(separator: UInt8(ascii: ".")).suffix(2)
            let numbers = tokens.map { $0.count > 20 ? 0 : UInt64(Substring($0)) ?? 0 }
            return LogPosition(partition: Int(clamping: numbers.first ?? 0), sequence: numbers.last ?? 0)
        }

        package var date: Date { ServerTime.date(time) }
    }

    /// Times of the server, such as 2025-01-31T12:00:00.123456789Z.
    package enum ServerTime {
        static func date(_ text: String) -> Date {
            Date(timeIntervalSince1970: Double(microseconds(text)) / 1_000_000)
        }

        /// Since 1970, before the year 10000; 0 for another text.
        package static func microseconds(_ text: String) -> UInt64 {
            let form = "0000-00-00T00:00:00".utf8
            let bytes = Array(text.utf8.prefix(26))
            let isTime =
                bytes.count >= form.count
                && zip(bytes, form).allSatisfy { byte, expected in
                    expected == UInt8(ascii: "0") ? isDigit(byte) : byte == expected
                }
            let start = String(decoding: bytes.prefix(form.count), as: UTF8.self) + "Z"
            guard isTime, let seconds = (try? Date(start, strategy: .iso8601))?.timeIntervalSince1970,
                (0..<253_402_300_800).contains(seconds)
            else { return 0 }
            let digits =
                bytes.dropFirst(form.count + 1).prefix(while: isDigit) + Array(repeating: UInt8(ascii: "0"), count: 6)
            let fraction = digits.prefix(6).reduce(0) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
            return UInt64(seconds) * 1_000_000 + fraction
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
#endif
