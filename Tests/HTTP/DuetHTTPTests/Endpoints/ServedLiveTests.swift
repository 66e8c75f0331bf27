import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization
import Testing

/// A live query whose response has a deadline, and whose changes come later.
@Suite struct ServedLiveTests {
    private struct Count: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("count").live()
    }

    /// Notes whether the response and the changes have a deadline.
    private final class Counter: Dispatcher {
        private let deadlines = Mutex<[Bool]>([])

        var haveDeadlines: [Bool] { deadlines.withLock(\.self) }

        private func note() { deadlines.withLock { $0.append(Deadline.current != nil) } }

        func dispatch<M: Message>(_ message: M) async throws -> M.Value {
            note()
            guard let value = 1 as? M.Value else { throw DispatchError.handlerNotFound(message: M.messageName) }
            return value
        }

        func isLive<Q: Query>(_ query: Q.Type) -> Bool { true }

        func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
            note()
            return QueryStates(failure: UnobservableQuery(Q.self))
        }
    }

    @Test(arguments: [true, false])
    func `changes have no deadline, and nobody observes them for a plain response`(isObserved: Bool) async throws {
        let (endpoint, counter) = (try Served(Count.self).endpoint, Counter())
        var context = TaskContext(service: .topLevel)
        context.service?.deadline = Deadline(in: .seconds(3_600))
        let parts = MessageParts(parameters: [:], query: nil, contentType: nil, body: Data())

        let answer = try await endpoint.answer(
            to: parts,
            counter,
            in: context,
            content: ServedEndpoint.ContentRequest(isObserved ? .changes : .value)
        )

        #expect(answer.response.status == .ok)
        #expect((answer.events != nil) == isObserved)
        #expect(counter.haveDeadlines == (isObserved ? [true, false] : [true]))
    }
}
