import DuetDependencies
import Synchronization
import Testing

/// Rings that no one can see before the factories run.
@Suite(.timeLimit(.minutes(1))) struct RingTests {
    @Test func `two containers that wait for each other end with an error`() async throws {
        let first = Later<Container>()
        let second = Later<Container>()
        let making = (Later<Void>(), Later<Void>())
        let builder = ContainerBuilder()
        builder.singleton {
            making.0.set(())
            await making.1.value()
            _ = try await second.value().resolve(Counted.self)
            return Session()
        }
        let other = ContainerBuilder()
        other.singleton {
            making.1.set(())
            await making.0.value()
            _ = try await first.value().resolve(Session.self)
            return Counted()
        }
        first.set(try builder.build())
        second.set(try other.build())

        let session = Task { try await first.value().resolve(Session.self) }
        let counted = Task { try await second.value().resolve(Counted.self) }

        await #expect(throws: ResolutionError.self) { try await session.value }
        await #expect(throws: ResolutionError.self) { try await counted.value }
    }

    private final class Counted: Sendable {}
}
