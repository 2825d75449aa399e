import TapedeckSockets
import Testing

@Suite struct EventLoopTests {
  @Test func `a turn ends with its jobs, then with the actions of every turn, until no job is left`() throws {
    let loop = try EventLoop()
    var order: [String] = []
    loop.atEveryTurnEnd { [unowned loop] in
      if !order.contains("action") {
        loop.atTurnEnd {
          order.append("job of an action")
          loop.stop()
        }
      }
      order.append("action")
    }
    let timer = loop.makeTimer { [unowned loop] in
      loop.atTurnEnd {
        order.append("job")
        loop.atTurnEnd { order.append("job of a job") }
      }
      order.append("timer")
    }
    timer.set(loop.now)
    loop.run()
    #expect(order == ["timer", "job", "job of a job", "action", "job of an action", "action"])
  }
}
