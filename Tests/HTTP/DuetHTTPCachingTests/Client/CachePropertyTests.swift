import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// Under any sequence of requests and responses, served responses match their heads, belong to the user, and are valid.
@Suite(.timeLimit(.minutes(5)))
struct CachePropertyTests {
    /// A request, and the versions that are correct responses to it.
    private struct Asked: Sendable {
        let step: Int
        let path: String
        let user: String
        let language: String
        let request: HTTPRequest
        /// The oldest version that has not been invalidated.
        let oldestValid: Int
    }

    @Test(arguments: 1...40, [1, 4])
    func `served responses agree with their heads, belong to the user, and are valid`(seed: UInt64, together: Int)
        async throws
    {
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
                let kind = world.pick([0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 5])
                if kind == 1 {
                    _ = try await scene.send(ask(path, lines, .post))
                    valid[path] = world.version(path)
                    continue
                }
                if kind == 2 { world.change(path) }
                let version = world.version(path) - world.pick([0, 0, 1])
                lines += extra(kind, World.tag(user, language, version), by: world)
                asked.append(
                    Asked(
                        step: step,
                        path: path,
                        user: user,
                        language: language,
                        request: ask(path, lines, kind == 5 ? .head : .get),
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

    /// Further fields of a request, some of them with the tag.
    private func extra(_ kind: Int, _ tag: String, by world: World) -> [String] {
        switch kind {
        case 3:
            return ["Cache-Control: " + world.pick(["no-cache", "max-stale", "max-age=2", "only-if-cached"])]
        case 4:
            return [
                world.pick(["If-None-Match: \(tag)", "If-None-Match: W/\(tag)", "If-Modified-Since: \(World.dates[0])"])
            ]
        default:
            return []
        }
    }

    /// Checks the response to a request, and returns whether it was a hit.
    private func check(_ asked: Asked, in scene: Scene, of world: World, _ seed: UInt64) async throws -> Bool {
        let answer: Answer
        do {
            answer = try await scene.send(asked.request)
        } catch is Unplugged {
            // A failed origin is the only permitted error.
            return false
        }
        let told = "\(answer.code) \(answer.response.headerFields) \(answer.body)"
        let place: Comment = "seed \(seed), step \(asked.step): \(asked.request.headerFields) got \(told)"
        // The origin sends the newest version, because nothing changes during the requests. A stored response may be
        // older if it has not been invalidated, and so may a stale response in place of a failed origin.
        let newest = world.version(asked.path)
        let mayBeOlder =
            answer.isHit || answer.response.cacheStatus?.detail == "origin-failed" || asked.request.method == .head
        let possible = (mayBeOlder ? asked.oldestValid...newest : newest...newest).map {
            World.text(asked.path, asked.user, asked.language, $0)
        }
        let announced = answer.response.headerFields[.contentLength].flatMap { Int($0) }
        guard asked.request.method == .get, answer.code != 304 else {
            #expect(answer.body.isEmpty, place)
            if answer.code == 200, let announced { #expect(possible.contains { $0.utf8.count == announced }, place) }
            return answer.isHit
        }
        #expect(announced ?? answer.body.utf8.count == answer.body.utf8.count, place)
        switch answer.code {
        case 200:
            #expect(possible.contains(answer.body), place)
        default:
            #expect(answer.body.isEmpty, place)
        }
        return answer.isHit
    }
}
