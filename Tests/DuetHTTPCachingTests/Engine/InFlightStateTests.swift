import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

struct InFlightStateTests {
    private typealias State = InFlightState<String, String>

    private var state = State()

    @Test func `the caller gets the response once, and waits until it is there`() throws {
        var state = state
        #expect(state.takeResponse() == nil)
        let isWaiting = state.waitForResponse("caller")
        #expect(isWaiting)
        let effects = state.respond(.success("head"), .notStored)
        #expect(effects.waiters == ["caller"])
        #expect(try state.takeResponse()?.get() == "head")
        #expect(state.takeResponse() == nil)
    }

    @Test func `a response that is there already is not waited for`() {
        var state = state
        _ = state.respond(.success("head"), .notStored)
        let isWaiting = state.waitForResponse("caller")
        #expect(!isWaiting)
    }

    @Test func `the body is read when the caller wants more, one piece at a time`() {
        var state = state
        _ = state.respond(.success("head"), .notStored)
        _ = state.takeResponse()
        #expect(!state.isWanted)
        let isWaiting = state.waitAsSource("source")
        #expect(isWaiting)
        let (callerWaits, effects) = state.waitForNext("caller")
        #expect((callerWaits, effects.waiters) == (true, ["source"]))
        #expect(state.isWanted)
        #expect(state.push(Data("a".utf8)).waiters == ["caller"])
        #expect(!state.isWanted)
        guard case .piece(let piece)? = state.takeNext() else { Issue.record("There is no piece."); return }
        #expect(piece == Data("a".utf8))
        #expect(state.takeNext() == nil)
    }

    @Test func `the body can be read though nobody took the response`() {
        var state = state
        _ = state.respond(.success("head"), .notStored)
        #expect(state.waitForNext("caller").isWaiting)
        #expect(state.push(Data("a".utf8)).waiters == ["caller"])
    }

    @Test func `the end follows the last piece, and stays`() {
        var state = state
        _ = state.push(Data("a".utf8))
        _ = state.finish(.success([:]), .notStored)
        guard case .piece? = state.takeNext() else { Issue.record("There is no piece."); return }
        for _ in 1...2 {
            guard case .end(.success)? = state.takeNext() else { Issue.record("There is no end."); return }
        }
    }

    @Test func `subscribers are resumed at the head, and when the response is stored`() throws {
        var state = state
        let subscription = state.subscribe()
        let id = try #require(subscription)
        let waitsForHead = state.wait(id, after: .requested, "subscriber")
        #expect(waitsForHead)
        #expect(state.respond(.success("head"), .storing(try stored)).waiters == ["subscriber"])
        #expect(state.stage == .storing)
        // It has missed the head meanwhile.
        let waitsLate = state.wait(id, after: .requested, "subscriber")
        #expect(!waitsLate)
        let waitsForEnd = state.wait(id, after: .storing, "subscriber")
        #expect(waitsForEnd)
        #expect(state.change(to: .notStored).waiters == ["subscriber"])
        #expect(state.stage == .ended)
        #expect(state.subscribe() == nil)
    }

    @Test func `without its caller the body is read to its end for subscribers`() throws {
        var state = state
        let subscription = state.subscribe()
        let id = try #require(subscription)
        _ = state.respond(.success("head"), .storing(try stored))
        _ = state.waitAsSource("source")
        let effects = state.leaveAsCaller()
        #expect((effects.waiters, effects.cancelsFetch) == (["source"], false))
        #expect(state.isWanted)
        #expect(state.push(Data("a".utf8)).waiters.isEmpty)
        #expect(state.isWanted)
        #expect(state.unsubscribe(id).cancelsFetch)
        #expect(!state.isWanted)
    }

    @Test func `a fetch that nobody wants is cancelled, and nobody subscribes to it`() {
        var state = state
        _ = state.waitAsSource("source")
        let effects = state.leaveAsCaller()
        #expect((effects.waiters, effects.cancelsFetch) == (["source"], true))
        #expect(state.isAbandoned)
        #expect(state.subscribe() == nil)
        let isWaiting = state.waitAsSource("source")
        #expect(!isWaiting)
    }

    @Test func `a response whose caller has left is released`() {
        var state = state
        _ = state.subscribe()
        _ = state.leaveAsCaller()
        _ = state.respond(.success("head"), .notStored)
        #expect(state.takeResponse() == nil)
    }

    @Test func `a cancelled wait is registered no more`() throws {
        var state = state
        let subscription = state.subscribe()
        let id = try #require(subscription)
        _ = state.wait(id, after: .requested, "subscriber")
        _ = state.waitForResponse("caller")
        #expect(state.stopWaiting(id) == "subscriber")
        #expect(state.stopWaitingAsCaller() == "caller")
        #expect(state.respond(.failure(Unplugged()), .notStored).waiters.isEmpty)
        #expect(state.stopWaiting(id) == nil)
    }

    private var stored: StoredResponse {
        get throws { try #require(Exchange(["Cache-Control: max-age=60"]).decision().stored) }
    }
}
