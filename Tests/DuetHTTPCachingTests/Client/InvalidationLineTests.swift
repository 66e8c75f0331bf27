import DuetHTTPCaching
import Testing

struct InvalidationLineTests {
    /// A line that expectations may change.
    private final class Line {
        var line = InvalidationLine<Int>()

        func begin(_ uri: String, since removals: Int = 0) -> LoadToken { line.begin(HashedURI(uri), since: removals) }
        func end(_ token: LoadToken) { line.end(token) }
        func beginCommit(_ token: LoadToken) -> Bool { line.beginCommit(token) }
        func endCommit(_ token: LoadToken) -> [Int] { line.endCommit(token) }

        func wait(_ uri: String, _ waiter: Int) -> Bool { line.wait(for: HashedURI(uri), waiter) }

        /// Whether there is something to wait for.
        func invalidate(_ uri: String, sparing token: LoadToken?, _ waiter: Int) -> Bool {
            line.makeVoid(HashedURI(uri), sparing: token)
            return wait(uri, waiter)
        }
    }

    @Test func `an invalidation makes void what began before, and waits for what is being stored`() {
        let line = Line()
        let (first, second) = (line.begin("a"), line.begin("a"))
        let other = line.begin("b")
        #expect(line.beginCommit(first))
        #expect(line.invalidate("a", sparing: nil, 1))
        #expect(line.invalidate("a", sparing: nil, 2))
        #expect(!line.line.isValid(second))
        #expect(!line.beginCommit(second))
        #expect(line.beginCommit(other))
        #expect(line.endCommit(first) == [1, 2])
        #expect(line.endCommit(first) == [])
        #expect(line.beginCommit(line.begin("a")))
    }

    @Test func `what was asked for before a removal and sent after it is void, and so is all that was under way`() {
        let line = Line()
        let (first, other, spared) = (line.begin("a/1"), line.begin("a/2"), line.begin("b"))
        #expect(line.beginCommit(other))
        #expect(line.line.makeVoid { $0.hasPrefix("a") } == [HashedURI("a/2")])
        #expect(!line.line.isValid(first))
        #expect(line.line.isValid(spared))
        let (late, new) = (line.begin("b"), line.begin("b", since: line.line.removals))
        #expect(!line.line.isValid(late))
        #expect(line.line.isValid(new))
    }

    @Test func `a load that is spared is stored, and one that ended is forgotten`() {
        let line = Line()
        let own = line.begin("a")
        #expect(!line.invalidate("a", sparing: own, 1))
        #expect(line.beginCommit(own))
        #expect(line.endCommit(own) == [])
        line.end(own)
        #expect(!line.beginCommit(own))
        #expect(!line.invalidate("a", sparing: nil, 2))
    }
}
