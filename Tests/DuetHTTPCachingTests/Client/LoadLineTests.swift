import DuetHTTPCaching
import Foundation
import Testing

struct LoadLineTests {
    /// A line that expectations may change.
    private final class Line {
        var line: LoadLine<String, Int>

        init(limit: Int) { line = LoadLine(limit: limit) }

        func join() -> Int? { line.join() }
        func leave(_ id: Int) -> (isGivenUp: Bool, pump: Int?) { line.leave(id) }
        func wait(_ id: Int, _ waiter: Int) -> (isToWait: Bool, pump: Int?) { line.wait(id, waiter) }
        func waitForOutcome(_ id: Int, _ waiter: Int) -> Bool { line.waitForOutcome(id, waiter) }
        func stopWaiting(_ id: Int) -> Int? { line.stopWaiting(id) }
        func resolve() -> [Int] { line.resolve(.success("head")) }
        func mayRead() -> Bool { line.mayRead() }
        func waitToRead(_ waiter: Int) -> Bool { line.waitToRead(waiter) }
        func push(_ text: String) -> [Int] { line.push(text.data) }
        func finish(_ end: Result<Void, any Error>) -> [Int] { line.finish(end) }
        func pump(taking id: Int) -> Int? { line.take(id).pump }

        func taken(_ id: Int) -> String {
            switch line.take(id).taken {
            case .piece(let data)?: String(decoding: data, as: UTF8.self)
            case .end?: "end"
            case .failure?: "failure"
            case nil: "wait"
            }
        }
    }

    private func line(limit: Int = 10) -> Line {
        let line = Line(limit: limit)
        _ = line.resolve()
        return line
    }

    @Test func `those who wait for the head are woken by it`() throws {
        let line = Line(limit: 10)
        let (first, second) = try (#require(line.join()), #require(line.join()))
        #expect(line.waitForOutcome(first, 1))
        #expect(line.waitForOutcome(second, 2))
        #expect(line.stopWaiting(second) == 2)
        #expect(line.resolve() == [1])
        #expect(!line.waitForOutcome(first, 3))
    }

    @Test func `the source is read when a reader waits, and not before`() throws {
        let line = line()
        let id = try #require(line.join())
        #expect(line.waitToRead(7))
        #expect(line.taken(id) == "wait")
        let (isToWait, pump) = line.wait(id, 1)
        #expect((isToWait, pump) == (true, 7))
        #expect(line.mayRead())
        #expect(line.push("ab") == [1])
        #expect(!line.mayRead())
        #expect(line.taken(id) == "ab")
        #expect(line.finish(.success(())) == [])
        #expect(line.taken(id) == "end")
    }

    @Test func `each reader goes at its own pace, from the beginning`() throws {
        let line = line()
        let slow = try #require(line.join())
        let fast = try #require(line.join())
        _ = line.push("ab")
        _ = line.push("cd")
        #expect([line.taken(fast), line.taken(fast), line.taken(fast)] == ["ab", "cd", "wait"])
        let late = try #require(line.join())
        #expect(line.taken(slow) == "ab")
        #expect(line.taken(late) == "ab")
    }

    @Test func `beyond the limit the slowest holds back the source, and nobody joins`() throws {
        let line = line(limit: 4)
        let slow = try #require(line.join())
        let fast = try #require(line.join())
        _ = line.push("abc")
        #expect(line.join() != nil)
        // The third one has left again.
        #expect(!line.leave(3).isGivenUp)
        _ = line.push("def")
        #expect(line.join() == nil)
        #expect([line.taken(fast), line.taken(fast)] == ["abc", "def"])
        #expect(line.wait(fast, 1) == (true, nil))
        #expect(!line.mayRead())
        #expect(line.waitToRead(7))
        // What it takes makes room, and wakes the source.
        #expect(line.pump(taking: slow) == 7)
        #expect(line.mayRead())
    }

    @Test func `a reader that leaves holds back nobody`() throws {
        let line = line(limit: 4)
        let slow = try #require(line.join())
        let fast = try #require(line.join())
        _ = line.push("abcdef")
        #expect(line.taken(fast) == "abcdef")
        #expect(line.wait(fast, 1).isToWait)
        #expect(line.waitToRead(7))
        let left = line.leave(slow)
        #expect(left == (false, 7))
    }

    @Test func `with the last one it is given up, for good`() throws {
        let line = line()
        let (first, second) = try (#require(line.join()), #require(line.join()))
        #expect(!line.leave(first).isGivenUp)
        #expect(line.leave(second).isGivenUp)
        #expect(!line.leave(second).isGivenUp)
        #expect(line.join() == nil)
        #expect(!line.mayRead())
    }

    @Test func `what failed fails for each, after what came`() throws {
        let line = line()
        let id = try #require(line.join())
        _ = line.push("ab")
        _ = line.finish(.failure(Unplugged()))
        #expect([line.taken(id), line.taken(id)] == ["ab", "failure"])
        let late = try #require(line.join())
        #expect([line.taken(late), line.taken(late)] == ["ab", "failure"])
    }
}
