import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

extension CachePropertyTests {
    /// An origin that keeps a version of each resource, and otherwise responds at random.
    ///
    /// It is correct in two things only: a tag always has the same bytes, and a body that ends early ends with an
    /// error. It ignores conditions, changes its validators, and fails.
    final class World: Sendable {
        struct State {
            var generator: SeededGenerator
            var versions: [String: Int] = [:]
        }

        static let dates = ["Sun, 13 Sep 2020 12:26:40 GMT", "Sun, 13 Sep 2020 12:35:00 GMT"]

        let state: Mutex<State>

        init(seed: UInt64) {
            state = Mutex(State(generator: SeededGenerator(seed: seed)))
        }

        func version(_ path: String) -> Int { state.withLock { $0.versions[path, default: 1] } }
        func change(_ path: String) { state.withLock { $0.versions[path, default: 1] += 1 } }

        func pick<Value: Sendable>(_ values: [Value]) -> Value {
            state.withLock { state in values[Int(state.generator.next() % UInt64(values.count))] }
        }

        /// True once in this number of times, on average.
        private func happens(oneIn count: Int) -> Bool { pick(Array(1...count)) == 1 }

        static func text(_ path: String, _ user: String, _ language: String, _ version: Int) -> String {
            let filling = String(repeating: "x", count: 20 + version * 7 % 40)
            return "<\(path) \(user) \(language) \(version) \(filling)>"
        }

        static func tag(_ user: String, _ language: String, _ version: Int) -> String {
            "\"\(user)-\(language)-\(version)\""
        }

        func answer(_ sent: ScriptedOrigin.Sent) -> ScriptedOrigin.Reply {
            let path = sent.request.path ?? ""
            guard sent.request.method == .get || sent.request.method == .head else {
                change(path)
                return .init(204)
            }
            if happens(oneIn: 6) { return .init(503) }
            let user = sent.field(.authorization) ?? "nobody"
            let language = sent.field(.acceptLanguage) ?? "none"
            let version = version(path)
            let bytes = Array(Self.text(path, user, language, version).utf8)
            let tag = Self.tag(user, language, version)
            let lines = lines(tag)
            if let known = sent.field(.ifNoneMatch), known.hasSuffix(tag) {
                return .init(304, happens(oneIn: 8) ? lines + ["ETag: \"nobody's\""] : lines)
            }
            if sent.request.method == .head {
                return .init(200, lines + (pick([true, false]) ? ["Content-Length: \(bytes.count)"] : []))
            }
            return reply(200, lines, bytes[...])
        }

        private func lines(_ tag: String) -> [String] {
            let control = pick([
                "max-age=5", "max-age=50", "no-cache", "max-age=3, stale-if-error=20", "private, max-age=9",
            ])
            return ["Vary: Accept-Language", "Cache-Control: \(control)"]
                + pick([["ETag: \(tag)"], ["ETag: \(tag)"], ["ETag: W/\(tag)"], []])
                + pick([["Last-Modified: \(Self.dates[0])"], ["Last-Modified: \(Self.dates[1])"], []])
        }

        /// A response in two pieces, of which the second sometimes fails.
        private func reply(_ status: Int, _ lines: [String], _ bytes: ArraySlice<UInt8>) -> ScriptedOrigin.Reply {
            let isAnnounced = pick([true, true, false])
            let held = HeldBody(size: isAnnounced ? Int64(bytes.count) : nil)
            let end = pick(Array(0..<bytes.count))
            held.send(Data(bytes.prefix(end)))
            if happens(oneIn: 4) {
                held.fail()
            } else {
                held.send(Data(bytes.dropFirst(end)))
                held.end()
            }
            return .init(status, lines + (isAnnounced ? ["Content-Length: \(bytes.count)"] : []), held.body)
        }
    }
}
