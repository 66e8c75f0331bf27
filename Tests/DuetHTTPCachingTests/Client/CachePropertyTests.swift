import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Whatever is asked and answered, in whatever order and time: what is served is whole, one's own, and not invalid.
@Suite(.timeLimit(.minutes(2)))
struct CachePropertyTests {
    /// An origin that keeps a version of each resource, and answers as it likes.
    final class World: Sendable {
        struct State {
            var generator: SeededGenerator
            var versions: [String: Int] = [:]
        }

        let state: Mutex<State>

        init(seed: UInt64) {
            state = Mutex(State(generator: SeededGenerator(seed: seed)))
        }

        func version(_ path: String) -> Int { state.withLock { $0.versions[path, default: 1] } }
        func change(_ path: String) { state.withLock { $0.versions[path, default: 1] += 1 } }

        func pick<Value: Sendable>(_ values: [Value]) -> Value {
            state.withLock { state in values[Int(state.generator.next() % UInt64(values.count))] }
        }

        static func text(_ path: String, _ user: String, _ language: String, _ version: Int) -> String {
            let filling = String(repeating: "x", count: 20 + version * 7 % 40)
            return "<\(path) \(user) \(language) \(version) \(filling)>"
        }

        func answer(_ sent: ScriptedOrigin.Sent) -> ScriptedOrigin.Reply {
            let path = sent.request.path ?? ""
            guard sent.request.method == .get || sent.request.method == .head else {
                change(path)
                return .init(204)
            }
            let user = sent.field(.authorization) ?? "nobody"
            let language = sent.field(.acceptLanguage) ?? "none"
            let version = version(path)
            let text = Self.text(path, user, language, version)
            let tag = "\(pick(["", "", "W/"]))\"\(user)-\(language)-\(version)\""
            var lines = [
                "Vary: Accept-Language",
                "Cache-Control: "
                    + pick([
                        "max-age=5", "max-age=50", "no-cache", "max-age=3, stale-if-error=20", "private, max-age=9",
                    ]),
            ]
            if pick([true, true, false]) { lines.append("ETag: \(tag)") }
            if pick([0, 0, 0, 0, 0, 1]) == 1 { return .init(503) }
            if let known = sent.field(.ifNoneMatch), known.hasSuffix("\"\(user)-\(language)-\(version)\"") {
                return .init(304, lines)
            }
            let bytes = Array(text.utf8)
            if let range = sent.field(.range)?.dropFirst(6).split(separator: "-").first.flatMap({ Int($0) }),
                range < bytes.count,
                sent.field(.ifRange).map({ $0 == "\"\(user)-\(language)-\(version)\"" }) ?? true
            {
                return reply(
                    206,
                    lines + ["Content-Range: bytes \(range)-\(bytes.count - 1)/\(bytes.count)"],
                    bytes[range...]
                )
            }
            if sent.request.method == .head { return .init(200, lines) }
            if pick([true, false]) { lines.append("Content-Length: \(bytes.count)") }
            return reply(200, lines, bytes[...])
        }

        /// In two pieces, and now and then broken.
        private func reply(_ status: Int, _ lines: [String], _ bytes: ArraySlice<UInt8>) -> ScriptedOrigin.Reply {
            let held = HeldBody()
            held.send(Data(bytes.prefix(7)))
            if pick([0, 0, 0, 1]) == 1 {
                held.fail()
            } else {
                held.send(Data(bytes.dropFirst(7)))
                held.end()
            }
            return .init(status, lines, held.body)
        }
    }

    /// What one asks, and which versions are right to answer.
    private struct Asked: Sendable {
        let step: Int
        let path: String
        let user: String
        let language: String
        let request: HTTPRequest
        let way: Way
        /// No older one, because what is older was made invalid.
        let oldestValid: Int
    }

    @Test(arguments: 1...40, [1, 4])
    func `what is served is whole, one's own and not invalid`(seed: UInt64, together: Int) async throws {
        let world = World(seed: seed)
        let scene = Scene { world.answer($0) }
        var valid: [String: Int] = [:]
        var hits = 0
        for step in 1...150 {
            scene.time.pass(world.pick([0, 0, 1, 2, 10, 100]))
            var asked: [Asked] = []
            for _ in 1...together {
                let path = world.pick(["/a", "/b", "/c"])
                let user = world.pick(["ada", "bob"])
                let language = world.pick(["de", "en"])
                var lines = ["Authorization: \(user)", "Accept-Language: \(language)"]
                let kind = world.pick([0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6])
                switch kind {
                case 1:
                    _ = try await scene.send(ask(path, lines, .post))
                    valid[path] = world.version(path)
                    continue
                case 2: world.change(path)
                case 3:
                    let all = ["no-cache", "max-stale", "max-age=2", "only-if-cached"]
                    lines.append("Cache-Control: " + world.pick(all))
                case 4: lines.append("Range: bytes=\(world.pick(["0-", "5-", "9-"]))")
                default: break
                }
                asked.append(
                    Asked(
                        step: step,
                        path: path,
                        user: user,
                        language: language,
                        request: ask(path, lines, kind == 6 ? .head : .get),
                        way: world.pick(Way.allCases),
                        oldestValid: valid[path, default: 1]
                    )
                )
            }
            hits += try await withThrowingTaskGroup(of: Bool.self) { group in
                for one in asked {
                    group.addTask { try await self.check(one, in: scene, of: world, seed) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(hits > 0, "seed \(seed)")
    }

    /// Whether it was a hit.
    private func check(_ asked: Asked, in scene: Scene, of world: World, _ seed: UInt64) async throws -> Bool {
        let answer: Answer
        do {
            answer = try await asked.way.ask(scene, asked.request)
        } catch is Unplugged {
            // The origin broke off, which is all that may go wrong.
            return false
        }
        guard asked.request.method == .get, [200, 206].contains(answer.code) else { return answer.isHit }
        let from =
            answer.response.headerFields[.contentRange]
            .flatMap { $0.dropFirst(6).split(separator: "-").first }.flatMap { Int($0) } ?? 0
        // The origin's own word is its newest, as nothing changes while they ask; what is stored may be older as long as
        // nothing made it invalid, and so may what stands in for an origin that fails.
        let newest = world.version(asked.path)
        let isStored = answer.isHit || answer.response.cacheStatus?.detail == "origin-failed"
        let possible = (isStored ? asked.oldestValid...newest : newest...newest).map {
            String(World.text(asked.path, asked.user, asked.language, $0).dropFirst(answer.code == 206 ? from : 0))
        }
        #expect(possible.contains(answer.body), "seed \(seed), step \(asked.step): \(answer.body) \(answer.line)")
        return answer.isHit
    }
}
