import Duet
import DuetContext
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

/// What those who join a fetch have of it, and what is left to the one who began it.
@Suite(.timeLimit(.minutes(5)))
struct JoiningTests {
    private static let cacheable = SharingTests.cacheable

    @Test func `an answer that is not fresh any more leaves the others to share another one`() async throws {
        let held = [HeldBody(), HeldBody()]
        let scene = Scene { .init(200, ["Cache-Control: max-age=1"], held[$0.number - 1].body) }
        let (_, first) = try await scene.client.send(ask(), body: nil)
        scene.time.pass(5)
        let (_, second) = try await scene.client.send(ask(), body: nil)
        let (response, third) = try await scene.client.send(ask(), body: nil)
        #expect(response.cacheStatus?.collapsed == true)
        for (number, body) in held.enumerated() {
            body.send("\(number)")
            body.end()
        }
        #expect(try await [first.text(), second.text(), third.text()] == ["0", "1", "1"])
        #expect(scene.origin.count == 2)
    }

    @Test func `when the first has left, it is told nothing, and does not keep its deadline`() async throws {
        let gate = Gate()
        let areKept = Mutex<[Bool]>([])
        let told = Mutex(0)
        let scene = Scene { sent in
            if let deadline = ServiceContext.current?.deadline { areKept.withLock { $0.append(deadline.isEnforced) } }
            HTTPRequestOptions.current.onInterimAnswer?(HTTPResponse(status: .init(code: 103)))
            try await gate.pass()
            HTTPRequestOptions.current.onInterimAnswer?(HTTPResponse(status: .init(code: 103)))
            return .init(200, Self.cacheable, "\(sent.number)")
        }
        var context = ServiceContext.topLevel
        context.deadline = Deadline(in: .seconds(60)).enforced
        let leader = ServiceContext.withValue(context) {
            Task.startingHere {
                var options = HTTPRequestOptions()
                options.onInterimAnswer = { _ in told.withLock { $0 += 1 } }
                return try await options.use { try await scene.send() }
            }
        }
        await gate.arrivals(1)
        let other = Task.startingHere { try await scene.send() }
        leader.cancel()
        _ = try? await leader.value
        gate.open()
        #expect(try await other.value.body == "1")
        #expect(areKept.withLock(\.self) == [false])
        #expect(told.withLock(\.self) == 1)
    }
}
