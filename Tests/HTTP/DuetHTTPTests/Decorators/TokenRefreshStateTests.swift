import DuetHTTP
import Testing

@Suite
struct TokenRefreshStateTests {
    @Test func `the first waiter starts the refresh, and its end resumes all`() {
        var refresh = TokenRefresh<String>()
        let starts = [refresh.join(1, "a", replacing: "t1"), refresh.join(2, "b", replacing: "t1")]
        #expect(starts == [true, false])
        let (finished, restarts) = refresh.finish(with: "t2")
        #expect(finished.sorted() == ["a", "b"])
        #expect(!restarts)
        let later = refresh.finish(with: "t2")
        #expect(later.finished.isEmpty)
        let startsAgain = refresh.join(3, "c", replacing: "t2")
        #expect(startsAgain)
        let failed = [refresh.fail(), refresh.fail()]
        #expect(failed == [["c"], []])
    }

    @Test func `a waiter that leaves is not resumed, and the refresh continues for others`() {
        var refresh = TokenRefresh<String>()
        let starts = refresh.join(1, "a", replacing: "t1")
        #expect(starts)
        let left = [refresh.leave(1), refresh.leave(1)]
        #expect(left == ["a", nil])
        let startsAgain = refresh.join(2, "b", replacing: "t1")
        #expect(!startsAgain)
        let finished = refresh.finish(with: nil).finished
        #expect(finished == ["b"])
        let leftLate = refresh.leave(2)
        #expect(leftLate == nil)
    }

    @Test func `a waiter that was rejected with the new token waits for one more refresh only`() {
        var refresh = TokenRefresh<String>()
        _ = refresh.join(1, "a", replacing: "t1")
        _ = refresh.join(2, "b", replacing: "t2")
        let first = refresh.finish(with: "t2")
        #expect(first.finished == ["a"])
        #expect(first.restarts)
        let startsTwice = refresh.join(3, "c", replacing: "t3")
        #expect(!startsTwice)
        // The second refresh ends for all of its waiters, whatever it returns.
        let second = refresh.finish(with: "t2")
        #expect(second.finished.sorted() == ["b", "c"])
        #expect(!second.restarts)
    }

    @Test func `a refresh that returns the rejected token is not repeated`() {
        var refresh = TokenRefresh<String>()
        _ = refresh.join(1, "a", replacing: "t1")
        let end = refresh.finish(with: "t1")
        #expect(end.finished == ["a"])
        #expect(!end.restarts)
    }

    @Test func `identifiers are unique`() {
        var refresh = TokenRefresh<String>()
        let ids = (1...100).map { _ in refresh.newID() }
        #expect(Set(ids).count == 100)
    }
}
