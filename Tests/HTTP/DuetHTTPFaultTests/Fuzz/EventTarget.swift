import DuetHTTP
import Foundation
import FuzzTesting

/// The parser of server-sent events: pieces do not matter, and what it reads can be sent and read again.
enum EventTarget {
    private static let limit = 4_096

    static func read(_ input: [UInt8]) -> FuzzVerdict {
        var whole = EventParser(limit: limit)
        var pieces = EventParser(limit: limit)
        let all = try? whole.read(Data(input))
        var parts: [ServerSentEvent]? = []
        do {
            for start in stride(from: 0, to: input.count, by: 3) {
                parts?.append(contentsOf: try pieces.read(Data(input[start..<min(start + 3, input.count)])))
            }
        } catch {
            parts = nil
        }
        guard all == parts, whole.retry == pieces.retry else { return .fault("Pieces are read differently") }
        if let retry = whole.retry, !EventParser.delays.contains(retry) { return .fault("A delay of \(retry)") }
        if let id = whole.lastID, id.utf8.count > 3 * EventParser.maximumIDSize { return .fault("A long identifier") }
        for event in all ?? [] {
            let size = event.data?.count ?? 0
            guard size <= limit else { return .fault("An event of \(size) bytes") }
            var again = EventParser(limit: 4 * limit)
            let read = try? again.read(event.encoded)
            guard read?.count == 1, read?.first?.data == event.data, read?.first?.version == event.version else {
                return .fault("\(event) was sent differently")
            }
        }
        return .fine
    }
}
