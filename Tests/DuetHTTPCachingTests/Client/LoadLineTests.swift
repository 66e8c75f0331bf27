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
        func wait(_ id: Int, _ waiter: Int) -> (isToWait: Bool, pump: Int?) { line.wait(id, for: .piece, waiter) }
        func waitForOutcome(_ id: Int, _ waiter: Int) -> Bool { line.wait(id, for: .outcome, waiter).isToWait }
        func waitForEnd(_ id: Int, _ waiter: Int) -> (isToWait: Bool, pump: Int?) { line.wait(id, for: .end, waiter) }
        func stopWaiting(_ id: Int) -> Int? { line.stopWaiting(id) }
        func resolve() -> [Int] { line.resolve(.success("head")) }
        func mayRead() -> Bool { line.mayRead() }
        func waitToRead(_ waiter: Int) -> Bool { line.waitToRead(waiter) }
        func push(_ text: String) -> [Int] { line.push(text.data) }
        func finish(_ end: Result<Void, any Error>, isStored: Bool = false) -> [Int] {
            line.finish(end, isStored: isStored)
        }
        func close() { line.close() }
        func markRecorded() { line.markRecorded() }
        func markUnrecorded() -> Bool { line.markUnrecorded().isGivenUp }
        @discardableResult func shrink() -> Bool { line.shrink().isGivenUp }
        var kept: Int { line.kept }
        func isBehind(_ id: Int) -> Bool { line.isBehind(id) }

        func push(_ text: String, times: Int, takenBy id: Int) {
            for _ in 1...times {
                _ = push(text)
                #expect(taken(id) == text)
            }
        }

        func taken(_ id: Int) -> String {
            switch line.take(id) {
            case .piece(let data)?: String(decoding: data, as: UTF8.self)
            case .behind?: "behind"
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

    @Test(arguments: [(4, 0, "behind"), (5, 0, "aa"), (6, 0, "aa"), (4, 1, "bb"), (3, 1, "bb"), (2, 1, "behind")])
    func `who is further behind the first than the limit is left behind`(limit: Int, taken: Int, next: String) throws {
        let line = line(limit: limit)
        let slow = try #require(line.join())
        let fast = try #require(line.join())
        for (number, piece) in ["aa", "bb", "cc"].enumerated() {
            #expect(line.wait(fast, 1).isToWait)
            #expect(line.mayRead())
            #expect(line.push(piece) == [1])
            #expect(line.taken(fast) == piece)
            if number < taken { #expect(line.taken(slow) == piece) }
        }
        #expect(line.isBehind(slow) == (next == "behind"))
        #expect(line.taken(slow) == next)
        #expect(line.kept < limit + 2)
    }

    @Test(arguments: [(3, true), (4, true), (5, false)])
    func `nobody joins beyond the limit`(count: Int, isJoined: Bool) throws {
        let line = line(limit: 4)
        _ = try #require(line.join())
        _ = line.push(String(repeating: "a", count: count))
        #expect((line.join() != nil) == isJoined)
    }

    @Test func `what nobody can join is not kept once everybody has taken it`() throws {
        let line = line(limit: 100)
        let (first, second) = try (#require(line.join()), #require(line.join()))
        _ = line.push("abc")
        #expect([line.taken(first), line.taken(second)] == ["abc", "abc"])
        #expect(line.kept == 3)
        line.close()
        #expect(line.join() == nil)
        #expect(line.kept == 0)
        _ = line.push("de")
        #expect(line.taken(first) == "de")
        #expect(line.kept == 2)
        #expect(line.taken(second) == "de")
        #expect(line.kept == 0)
    }

    @Test func `with none left but who is left behind it is given up`() throws {
        let line = line(limit: 2)
        let slow = try #require(line.join())
        let fast = try #require(line.join())
        line.push("abc", times: 3, takenBy: fast)
        #expect(line.leave(fast).isGivenUp)
        #expect(line.taken(slow) == "behind")
    }

    @Test func `with none left but who is left behind it is read on, if it is being stored, and nothing held`() throws {
        let line = line(limit: 2)
        line.markRecorded()
        let (slow, fast) = try (#require(line.join()), #require(line.join()))
        line.push("abc", times: 3, takenBy: fast)
        #expect(line.leave(fast) == (false, nil))
        #expect(line.kept == 0)
        #expect(line.taken(slow) == "behind")
        #expect(!line.mayRead())
        #expect(line.waitToRead(7))
        #expect(line.waitForEnd(slow, 1) == (true, 7))
        #expect(line.mayRead())
        #expect(line.push("def") == [1])
        #expect(line.kept == 0)
        #expect(line.leave(slow).isGivenUp)
    }

    @Test(arguments: [true, false])
    func `what turns out not to be stored is given up when only who is left behind is left`(isLed: Bool) throws {
        let line = line(limit: 2)
        line.markRecorded()
        let (slow, fast) = try (#require(line.join()), #require(line.join()))
        line.push("abc", times: 3, takenBy: fast)
        if !isLed { #expect(!line.leave(fast).isGivenUp) }
        #expect(line.markUnrecorded() == !isLed)
        #expect(line.waitForEnd(slow, 1) == (true, nil))
        #expect(!line.mayRead())
    }

    @Test func `when there is too much, less is held for slow readers, and none of it counted`() throws {
        let line = line(limit: 32)
        let (slow, fast) = try (#require(line.join()), #require(line.join()))
        line.push("abc", times: 4, takenBy: fast)
        #expect(line.line.counted == 12)
        #expect(!line.shrink())
        #expect(line.join() == nil)
        #expect(line.kept == 3)
        #expect(line.line.counted == 0)
        #expect(line.taken(slow) == "behind")
        _ = line.push("def")
        #expect(line.taken(fast) == "def")
    }

    @Test(arguments: [true, false])
    func `nor is more held for a slow reader that is alone`(isRecorded: Bool) throws {
        let line = line(limit: 1_000_000)
        if isRecorded { line.markRecorded() }
        let (slow, fast) = try (#require(line.join()), #require(line.join()))
        line.push(String(repeating: "a", count: 65_536), times: 8, takenBy: fast)
        #expect(!line.leave(fast).isGivenUp)
        #expect(line.kept == 524_288)
        // Without anywhere to have the rest from it is given up.
        #expect(line.shrink() == !isRecorded)
        #expect(line.kept == 131_072)
        #expect(line.taken(slow) == "behind")
    }

    @Test func `nor is more held of what has ended`() throws {
        let line = line(limit: 1_000_000)
        line.markRecorded()
        let slow = try #require(line.join())
        for _ in 1...8 { _ = line.push(String(repeating: "a", count: 65_536)) }
        _ = line.finish(.success(()), isStored: true)
        #expect(!line.shrink())
        #expect(line.kept == 131_072)
        #expect(line.taken(slow) == "behind")
        #expect(line.waitForEnd(slow, 1) == (false, nil))
    }

    @Test func `of many small pieces fewer bytes are held`() throws {
        let line = line(limit: .max)
        let (slow, fast) = try (#require(line.join()), #require(line.join()))
        line.push("a", times: 20_000, takenBy: fast)
        #expect(line.join() == nil)
        #expect(line.kept <= 16_385)
        #expect(line.taken(slow) == "behind")
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

    @Test func `who is left behind waits for the end, and lets nothing be read`() throws {
        let line = line(limit: 4)
        let (slow, fast) = try (#require(line.join()), #require(line.join()))
        for text in ["aaaa", "bbbb", "cccc"] {
            _ = line.push(text)
            _ = line.taken(fast)
        }
        #expect(line.taken(slow) == "behind")
        #expect(line.waitForEnd(slow, 1) == (true, nil))
        #expect(!line.mayRead())
        #expect(line.waitToRead(7))
        #expect(line.wait(fast, 2) == (true, 7))
        #expect(line.mayRead())
        #expect(line.finish(.success(())).sorted() == [1, 2])
        #expect(line.waitForEnd(slow, 3) == (false, nil))
        #expect(line.taken(slow) == "behind")
    }
}
