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

        async let session = first.value().resolve(Session.self)
        async let counted = second.value().resolve(Counted.self)

        await #expect(throws: ResolutionError.self) { _ = try await session }
        await #expect(throws: ResolutionError.self) { _ = try await counted }
    }

    private final class Counted: Sendable {}
}
