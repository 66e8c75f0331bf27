import DuetHTTPCaching
import Testing

struct InvalidationLineTests {
    /// A line that expectations may change.
    private final class Line {
        var line = InvalidationLine<Int>()

        func begin(_ uri: String) -> LoadToken { line.begin(HashedURI(uri)) }
        func end(_ token: LoadToken) { line.end(token) }
        func beginCommit(_ token: LoadToken) -> Bool { line.beginCommit(token) }
        func endCommit(_ token: LoadToken) -> [Int] { line.endCommit(token) }

        func invalidate(_ uri: String, sparing token: LoadToken?, _ waiter: Int) -> Bool {
            line.invalidate(HashedURI(uri), sparing: token, waiter)
        }
    }

    @Test func `an invalidation makes void what began before, and waits for what is being stored`() {
        let line = Line()
        let (first, second) = (line.begin("a"), line.begin("a"))
        let other = line.begin("b")
        #expect(line.beginCommit(first))
        #expect(line.invalidate("a", sparing: nil, 1) == false)
        #expect(line.invalidate("a", sparing: nil, 2) == false)
        #expect(!line.beginCommit(second))
        #expect(line.beginCommit(other))
        #expect(line.endCommit(first) == [1, 2])
        #expect(line.endCommit(first) == [])
        #expect(line.beginCommit(line.begin("a")))
    }

    @Test func `a load that is spared is stored, and one that ended is forgotten`() {
        let line = Line()
        let own = line.begin("a")
        #expect(line.invalidate("a", sparing: own, 1))
        #expect(line.beginCommit(own))
        #expect(line.endCommit(own) == [])
        line.end(own)
        #expect(!line.beginCommit(own))
        #expect(line.invalidate("a", sparing: nil, 2))
    }
}
