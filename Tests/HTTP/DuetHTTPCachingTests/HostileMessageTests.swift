import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// Random messages are stored, reused, validated and updated.
@Suite("Hostile messages")
struct HostileMessageTests {
    private static let requestNames = [
        "Cache-Control", "If-None-Match", "If-Modified-Since", "Authorization", "Pragma", "Foo",
    ]
    private static let responseNames = [
        "Cache-Control", "Age", "Date", "Expires", "Last-Modified", "ETag", "Vary", "Connection",
        "Content-Length", "Content-Location", "Location", "Foo",
    ]
    private static let usual = [
        "Cache-Control: max-age=3600", "ETag: \"a\"", "Vary: Foo", "Date: @0", "Age: 5",
        "Last-Modified: @-100", "Content-Length: 10", "Cache-Control: s-maxage=5, no-cache=\"foo\"",
        "If-None-Match: \"a\"",
    ]

    private struct Maker {
        var generator: SeededGenerator

        mutating func exchange() -> Exchange {
            func lines(_ names: [String], _ maker: inout Maker) -> [String] {
                names.filter { _ in Int.random(in: 0..<3, using: &maker.generator) == 0 }
                    .map { "\($0): \(maker.generator.fieldValue(pieces: 4))" }
                    + usual.filter { _ in Int.random(in: 0..<3, using: &maker.generator) == 0 }
            }
            let method = [HTTPRequest.Method.get, .get, .get, .post].randomElement(using: &generator) ?? .get
            let status = [200, 200, 206, 206, 304, 404, 416, 503].randomElement(using: &generator) ?? 200
            return Exchange(method, "/", lines(requestNames, &self), status: status, lines(responseNames, &self))
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `messages neither trap nor break the rules`(seed: UInt64) async {
        let policy = HTTPCachePolicy()
        var maker = Maker(generator: SeededGenerator(seed: seed))
        var stored: [StoredResponse] = []
        var decisions: Set<Outcome> = []
        for step in 0..<3000 {
            // Without this, the long computation would keep other tests waiting.
            if step % 50 == 0 { await Task.yield() }
            let exchange = maker.exchange()
            let now = Exchange.date(Double(step % 100))
            if case .store(let head) = policy.storing(
                exchange.response,
                to: exchange.request,
                at: Exchange.times(Double(step % 100))
            ) {
                #expect(head.response.headerFields[.connection] == nil, "seed \(seed), step \(step)")
                stored = (stored + [head]).suffix(6)
            }
            let asked = maker.exchange().request
            let reuse = policy.lookup(in: stored, for: asked, at: now)
            decisions.insert(reuse.outcome)
            check(reuse, asked, policy, at: now, exchange.response, "seed \(seed), step \(step)")
            _ = policy.invalidated(by: asked, answered: exchange.response)
        }
        // With fewer outcomes, the messages would test too little.
        #expect(decisions.count >= 4, "seed \(seed): \(decisions)")
    }

    private func check(
        _ reuse: Lookup,
        _ request: HTTPRequest,
        _ policy: HTTPCachePolicy,
        at now: Date,
        _ answer: HTTPResponse,
        _ place: Comment
    ) {
        switch reuse {
        case .hit(let hit):
            #expect(hit.stored.selection.matches(request), place)
            #expect(hit.head(for: request).headerFields[values: .age] == ["\(hit.age)"], place)
        case .fetch(let fetch):
            switch fetch.interpret(answer, at: Exchange.times(50), by: policy) {
            case .confirmed(let freshened):
                #expect(freshened.old == fetch.stored, place)
            case .replaced, .failed, .unusable:
                break
            }
        case .gatewayTimeout:
            break
        }
    }
}
