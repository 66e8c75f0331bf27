import Duet
import Testing

@Suite
struct DispatchErrorTests {
    @Test(
        arguments: [
            (
                DispatchError.handlerNotFound(message: "Shop.Buy"),
                "No handler for Shop.Buy. Add one to the dispatcher that received this message."
            ),
            (
                .duplicateHandler(message: "Shop.Buy", handlers: ["Shop.A", "Shop.B"]),
                "Two handlers for Shop.Buy: Shop.A and Shop.B. A message has one; remove the other."
            ),
            (
                .timedOut(message: "Shop.Buy", after: .seconds(2)),
                "Shop.Buy took longer than 2 seconds. Make its handler faster or allow it more time."
            ),
        ]
    )
    func `a description says what failed and what to do`(error: DispatchError, description: String) {
        #expect("\(error)" == description)
    }
}
