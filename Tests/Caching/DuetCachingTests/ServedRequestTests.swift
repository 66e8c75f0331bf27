import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import Testing

/// Changes of commands that a client of a server has sent, before and after they are accepted.
@Suite(.timeLimit(.minutes(5)))
struct ServedRequestTests {
    enum Sharing: CaseIterable {
        case shared, named, anonymous

        var scope: CacheScope {
            switch self {
            case .shared: .shared
            case .named: .named { "tenant" }
            case .anonymous: .principal
            }
        }

        /// A principal does not help where principals share values.
        var principals: [Principal?] { self == .anonymous ? [nil] : [nil, Principal(id: "ann", scopes: ["write"])] }
    }

    private func world(_ scope: CacheScope, _ policy: CachePolicy<[Int]> = .untilInvalidated) throws -> ListWorld {
        try ListWorld {
            Cache(LoadList.self, policy, scope: scope)
            Invalidate(LoadList.self, after: Append.self) { $0.name == $1.list }
            OptimisticUpdate(LoadList.self, by: Append.self) { items, query, command in
                if query.name == command.list, !items.contains(command.item) { items.append(command.item) }
            }
        }
    }

    /// The value in every mode of reading, observing and peeking that does not load.
    private func values(_ world: ListWorld) async throws -> [[Int]?] {
        let modes: [ReadMode] = [.cacheOnly, .cacheFirst].flatMap { [$0, $0.includingUnconfirmed()] }
        var values: [[Int]?] = [world.dispatcher.cache.peek(LoadList()), try await world.state().value]
        for mode in modes { values.append(try await world.dispatcher.read(LoadList(), mode).value) }
        return values + [try await world.dispatcher.dispatch(LoadList())]
    }

    @Test(arguments: Sharing.allCases)
    func `those who share a value see a change with the load after its command`(sharing: Sharing) async throws {
        for principal in sharing.principals {
            let world = try world(sharing.scope)
            var states = world.states()
            while await states.next()?.value != [0] {}
            let command = try await withPrincipal(principal) {
                try await withServedRequest { try await world.begin(1) }
            }
            #expect(try await values(world) == Array(repeating: [0], count: 7))
            world.server.finish(1, succeeds: false)
            await #expect(throws: NoConnection()) { try await command.value }
            // The command may have done its work, so the value is loaded again.
            _ = try await world.dispatcher.dispatch(LoadList())
            #expect(try await values(world) == Array(repeating: [0], count: 7))

            let second = try await withPrincipal(principal) {
                try await withServedRequest { try await world.begin(2) }
            }
            #expect(try await world.state().value == [0])
            // It may be accepted as the repeat of a command whose effect is gone, which only a load shows.
            world.server.holdsLoads = true
            await world.finish(2, second)
            let load = try await world.server.nextLoad()
            #expect(try await world.state().value == [0])
            world.server.finish(load: load.id)
            while await states.next()?.value != [0, 2] {}
        }
    }

    @Test(arguments: Sharing.allCases)
    func `a program that serves nobody shows a change at once`(sharing: Sharing) async throws {
        let world = try world(sharing.scope)
        var states = world.states()
        while await states.next()?.value != [0] {}
        let command = try await world.begin(1)
        #expect(await states.next()?.value == [0, 1])
        #expect(try await world.dispatcher.read(LoadList(), .cacheOnly.includingUnconfirmed()).value == [0, 1])
        await world.finish(1, command)
    }

    @Test func `a principal with values of its own sees its change at once, and others do not`() async throws {
        let world = try world(.principal)
        let (ann, ben) = (Principal(id: "ann", scopes: ["write"]), Principal(id: "ben", scopes: ["write"]))
        for principal in [ann, ben] {
            _ = try await withPrincipal(principal) { try await world.dispatcher.dispatch(LoadList()) }
        }
        let command = try await withServedRequest {
            // The mark outlives a change of the principal, also to nobody.
            try await withPrincipal(nil) { try await withPrincipal(ann) { try await world.begin(1) } }
        }
        #expect(try await withPrincipal(ann) { try await world.state().value } == [0, 1])
        #expect(try await withPrincipal(ben) { try await world.state().value } == [0])
        await world.finish(1, command)
    }

    @Test func `the mark stays with work for another caller, and ends with its operation`() async throws {
        #expect(!Task.isServingRequest)
        await withServedRequest {
            #expect(Task.isServingRequest)
            await withPrincipal(nil) { #expect(Task.isServingRequest) }
            await withAuthority(.program("job")) { #expect(Task.isServingRequest) }
            await withDeadline(in: .seconds(60)) { #expect(Task.isServingRequest) }
        }
        #expect(!Task.isServingRequest)
    }

    @Test(arguments: [false, true])
    func `a queued command keeps its mark after a relaunch`(isServed: Bool) async throws {
        let store = InMemoryCommandStore()
        let server = CommentServer()
        server.fail("A", Offline())
        for isRelaunch in [false, true] {
            let world = try QueueWorld(store, server: server) {
                Enqueue(PostComment.self, version: 1)
            } caching: {
                Cache(LoadComments.self, .untilInvalidated, scope: .shared)
                Invalidate(LoadComments.self, after: PostComment.self)
                OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, _, command in
                    comments.append(command.text)
                }
            }
            _ = try await world.dispatcher.dispatch(LoadComments())
            if !isRelaunch {
                if isServed {
                    try await withServedRequest { try await world.post("A") }
                } else {
                    try await world.post("A")
                }
            }
            await world.queue.waitUntilLoaded()
            // The rules before the dispatch have been carried out.
            await world.clock.nextSleeper()
            let shown = try await world.dispatcher.read(LoadComments(), .cacheOnly.includingUnconfirmed()).value
            #expect(shown == (isServed ? [] : ["A"]))
            #expect(await store.all().map(\.isServed) == [isServed])
        }
        #expect(server.marks == [isServed, isServed])
    }
}
