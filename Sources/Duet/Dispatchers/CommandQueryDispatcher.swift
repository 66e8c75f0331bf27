/// Takes commands and queries to where they are handled.
///
/// To write a dispatcher of your own, implement the two `dispatch` methods; it then fits wherever one is expected.
public protocol CommandQueryDispatcher: CommandDispatcher, QueryDispatcher {}
